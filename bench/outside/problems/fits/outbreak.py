# Kermack and McKendrick 1927, daily cases by RK4; data of our own
CASES = [
    3.22304, 4.40679, 6.58364, 9.70347, 16.7416, 21.0217, 28.7298, 41.6651, 49.29, 68.8527, 75.7303, 79.7517,
    79.7135, 73.6685, 71.7839, 59.7291, 49.6276, 38.0132, 32.6824, 21.9029, 18.0543, 15.3848, 11.4157, 8.607,
    6.92857, 5.86672, 4.80693, 4.01438, 2.85563, 2.407, 2.14691, 1.67838, 1.39433, 1.1364, 0.962211, 0.836379,
    0.69539, 0.601585, 0.522251, 0.40276,
]

def step(s, i, beta, gamma):
    infected = beta * s * i / 1000
    return -infected, infected - gamma * i

def f(x):
    beta, gamma, i = x
    s = 1000 - i
    misfit = 0.0
    for cases in CASES:
        a = step(s, i, beta, gamma)
        b = step(s + a[0] / 2, i + a[1] / 2, beta, gamma)
        c = step(s + b[0] / 2, i + b[1] / 2, beta, gamma)
        d = step(s + c[0], i + c[1], beta, gamma)
        ds = (a[0] + 2 * b[0] + 2 * c[0] + d[0]) / 6
        i += (a[1] + 2 * b[1] + 2 * c[1] + d[1]) / 6
        s += ds
        misfit += (-ds - cases) ** 2 / (cases + 1)
    return misfit
