# Arora, Introduction to Optimum Design, section 2.4, design of a can
import math

def f(x):
    d, h = x
    area = math.pi * d * h + math.pi * d * d / 2
    volume = math.pi / 4 * d * d * h
    return area if volume >= 400 else 1e4 + (400 - volume)
