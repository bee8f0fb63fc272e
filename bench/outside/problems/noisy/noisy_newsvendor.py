# Four goods under one budget, Hadley and Whitin 1963; normal demands
import math

GOODS = [(60, 15, 4, 9), (90, 25, 3, 7), (40, 10, 8, 15), (120, 30, 2, 3.5)]

def f(x):
    profit, spent = 0.0, 0.0
    for q, (mean, sd, cost, price) in zip(x, GOODS):
        z = (q - mean) / sd
        below = 0.5 * (1 + math.erf(z / math.sqrt(2)))
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        sold = mean * below - sd * density + q * (1 - below)
        profit += price * sold - cost * q
        spent += cost * q
    return -profit + 2 * max(0, spent - 900)
