import { expect, it } from 'vitest';
import { DeviceCosts } from './place-costs.js';

const PROFILE = { launchSeconds: 0, secondsPerByte: 0, width: 1_000, secondsPerOperation: 1e-9, openSeconds: 1 };

it('does not believe one measurement that is far above what a device took beside other work', () => {
  const costs = new DeviceCosts(PROFILE, 1, 0);
  costs.noteBetween(1_000, 1e-3, 2e-3, 0);
  expect([costs.seconds(1_000), costs.most(1_000)]).toEqual([1e-3, 2e-3]);
  costs.note(1_000, 20e-3, 1);
  expect([costs.seconds(1_000), costs.most(1_000)]).toEqual([1e-3, 20e-3]);
  costs.note(1_000, 1.5e-3, 2);
  expect([costs.seconds(1_000), costs.most(1_000)]).toEqual([1.5e-3, 1.5e-3]);
});

it('believes it when it is measured again', () => {
  const costs = new DeviceCosts(PROFILE, 1, 0);
  costs.noteBetween(1_000, 1e-3, 2e-3, 0);
  for (const at of [1, 2]) costs.note(1_000, 20e-3, at);
  expect([costs.seconds(1_000), costs.most(1_000)]).toEqual([20e-3, 20e-3]);
});
