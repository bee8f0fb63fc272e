# Activity of an enzyme by pH, warmth and salt; textbook optimum curves
import math

def f(x):
    ph, warmth, salt = x
    acid = 1 / (1 + 10 ** (6.1 - ph) + 10 ** (ph - 8.0))
    heat = math.exp(0.06 * (warmth - 37)) / (1 + math.exp(0.5 * (warmth - 42)))
    return -acid * heat * math.exp(-((salt - 0.15 - 0.02 * (ph - 7)) ** 2) / 0.05)
