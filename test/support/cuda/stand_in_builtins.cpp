// Stands for NVRTC's builtins library: what matters is that it is there.
extern "C" __attribute__((visibility("default"))) int stand_in_builtins;
int stand_in_builtins = 1;
