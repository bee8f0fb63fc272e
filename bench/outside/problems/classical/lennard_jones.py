# Four atoms; Hoare and Pal, Advances in Physics 20, 1971
def f(x):
    atoms = [(0.0, 0.0, 0.0), (x[0], 0.0, 0.0), (x[1], x[2], 0.0), (x[3], x[4], x[5])]
    energy = 0.0
    for i in range(4):
        for j in range(i):
            s = sum((a - b) ** 2 for a, b in zip(atoms[i], atoms[j])) + 1e-12
            energy += 4 * (1 / s ** 6 - 1 / s ** 3)
    return energy
