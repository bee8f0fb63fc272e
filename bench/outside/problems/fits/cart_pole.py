# Linear feedback of a cart with a pendulum; Barto, Sutton and Anderson 1983
import math

def f(gains):
    p, v, a, w = 0.5, 0.0, 0.2, 0.0
    h = 0.03
    cost = 0.0
    for _ in range(130):
        force = gains[0] * p + gains[1] * v + gains[2] * a + gains[3] * w
        force = 20 * math.tanh(force / 20)
        s, c = math.sin(a), math.cos(a)
        inner = (force + 0.05 * w * w * s) / 1.1
        turn = (9.8 * s - c * inner) / (0.5 * (4 / 3 - 0.1 * c * c / 1.1))
        push = inner - 0.05 * turn * c / 1.1
        v += h * push
        p += h * v
        w += h * turn
        a += h * w
        w = max(-20.0, min(20.0, w))
        cost += h * (p * p + 5 * (1 - c) + 0.002 * force * force)
    return cost
