import { expect, test } from 'vitest';
import { DeviceProfiles, newProfiles } from './device-profiles.js';

const PROFILE = {
  launchSeconds: 20e-6,
  secondsPerByte: 1e-10,
  width: 4096,
  secondsPerOperation: 1e-7,
  openSeconds: 0.01,
};

test('a device is measured once, whoever asks, and all threads know', async () => {
  const memory = newProfiles();
  const [one, other] = [new DeviceProfiles(memory), new DeviceProfiles(memory)];
  expect([one.of(0), one.first]).toEqual([null, null]);
  let measured = 0;
  const measure = async (): Promise<typeof PROFILE> => {
    measured++;
    await new Promise((resolve) => setTimeout(resolve, 20));
    return PROFILE;
  };
  const found = await Promise.all([one.measured(3, measure), other.measured(3, measure), one.measured(3, measure)]);
  expect(found).toEqual([PROFILE, PROFILE, PROFILE]);
  expect(measured).toBe(1);
  expect([other.of(3), other.of(0), other.first]).toEqual([PROFILE, null, PROFILE]);
});

test('a measurement that fails is repeated by the next who asks', async () => {
  const profiles = new DeviceProfiles();
  const fails = (): Promise<never> => Promise.reject(new Error('lost'));
  await expect(profiles.measured(0, fails)).rejects.toThrow('lost');
  expect(profiles.of(0)).toBeNull();
  expect(await profiles.measured(0, async () => PROFILE)).toEqual(PROFILE);
});

test('of a device beyond all numbers nothing is kept', async () => {
  const profiles = new DeviceProfiles();
  expect(await profiles.measured(1000, async () => PROFILE)).toEqual(PROFILE);
  expect(profiles.of(1000)).toBeNull();
});
