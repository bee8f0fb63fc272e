import { describe, expect, it } from 'vitest';
import { portfolio } from '../strategies/lists.js';
import { COMPARED, LEADERS, STRATEGIES } from './leaders.js';

const names = portfolio.map(({ name }) => name);

describe('leaders', () => {
  it('are members of the portfolio', () => {
    for (const leader of LEADERS) {
      if (leader === null) continue;
      expect(names).toContain(leader.member);
      if (leader.and !== undefined) expect(names).toContain(leader.and);
    }
    for (const name of COMPARED) expect(names).toContain(name);
  });

  it('have the places and names that stored lessons and updates refer to', () => {
    expect(STRATEGIES).toEqual([
      'nobody leads',
      'lq-cma-es',
      'lq-cma-es, population x4',
      'lq-cma-es, population x16',
      'distant-restarts',
      'nearby-restarts',
      'nelder-mead',
      'lq-cma-es, model of the probes',
      'quasi-newton, first matrix 0.1',
      'quasi-newton, first matrix 0.00001',
      'distant-restarts and nearby-restarts',
    ]);
  });
});
