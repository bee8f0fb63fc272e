# Thrown at a target over a wall, air drag by RK2; textbook ballistics
import math

def f(x):
    speed, angle = x
    vx, vy = speed * math.cos(angle), speed * math.sin(angle)
    px, py, h = 0.0, 1.0, 0.05
    wall = 0.0
    for _ in range(140):
        drag = 0.01 * math.sqrt(vx * vx + vy * vy)
        mx, my = vx - h / 2 * drag * vx, vy - h / 2 * (9.81 + drag * vy)
        nx, ny = px + h * mx, py + h * my
        if px < 20 <= nx:
            height = py + (20 - px) / (nx - px) * (ny - py)
            wall = max(0.0, 8 - height)
        if ny < 0:
            px += py / (py - ny) * (nx - px)
            break
        drag = 0.01 * math.sqrt(mx * mx + my * my)
        vx, vy = vx - h * drag * mx, vy - h * (9.81 + drag * my)
        px, py = nx, ny
    return (px - 35) ** 2 + 10 * wall + 0.002 * speed ** 2
