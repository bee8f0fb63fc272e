# McCormick, Mathematical Programming 10, 1976
import math

f = lambda x: math.sin(x[0] + x[1]) + (x[0] - x[1]) ** 2 - 1.5 * x[0] + 2.5 * x[1] + 1
