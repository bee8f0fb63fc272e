# Schwefel, Numerical Optimization of Computer Models, 1981, problem 1.2
def f(x):
    total = 0.0
    partial = 0.0
    for v in x:
        partial += v
        total += partial * partial
    return total
