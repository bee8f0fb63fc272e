# Himmelblau, Applied Nonlinear Programming, 1972
f = lambda x: (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2
