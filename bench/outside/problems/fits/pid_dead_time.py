# PID control of a lag with dead time, ITAE; Astrom and Haegglund, PID Controllers, 1995
def f(x):
    kp, ki, kd = x
    h = 0.05
    y = integral = before = 0.0
    delayed = [0.0] * 8
    cost = 0.0
    for k in range(160):
        error = 1 - y
        integral += error * h
        control = kp * error + ki * integral + kd * (before - y) / h
        before = y
        control = max(-8.0, min(8.0, control))
        delayed.append(control)
        y += h * (delayed[k] - y) / 1.0
        cost += k * h * abs(error) * h + 0.0005 * control * control * h
    return cost
