/** Whether the steps that a client took gave what they must: the service is asked for the same over plain HTTP. */

/** Above 2^31, so that a client that reads int32 is found; the same in a float64. */
export const SEED = 1_099_511_627_791;

/** Its optimum is at numbers that a float32 cannot hold. */
export const CODE = `
def f(x):
    return (x[0] - 1 / 3) ** 2 + 10 * (x[1] + 2 / 3) ** 2 + 0.1 * abs(x[0] * x[1])
`;

export const STEPS = ['upload', 'optimize', 'read', 'list', 'study', 'ask', 'tell', 'best', 'webhook', 'key'];

function bits(...numbers) {
  const bytes = Buffer.alloc(8 * numbers.length);
  numbers.forEach((number, i) => bytes.writeDoubleBE(number, 8 * i));
  return bytes.toString('hex').replaceAll(/(.{16})(?=.)/g, '$1 ');
}

/**
 * @param {string} output of the client: a line for each step
 * @param {(path: string) => Promise<any>} ask the body of a GET
 * @returns {Promise<{ step: string, fault: string | null }[]>}
 */
export async function judge(output, ask) {
  const said = new Map(output.split('\n').map((line) => [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)]));
  const [run, study] = ['optimize', 'study'].map((name) => (said.get(name) ?? '').split(' ')[0]);
  const found = [];
  for (const step of STEPS) {
    const text = said.get(step);
    if (text === undefined || text.startsWith('failed: ')) {
      found.push({ step, fault: text ?? 'was not reached' });
      continue;
    }
    const wanted = await expected(step, { run, study, upload: said.get('upload') ?? '' }, ask).catch(
      (error) => `what cannot be known: ${error.message}`,
    );
    found.push({ step, fault: text === wanted ? null : `${text}; must be ${wanted}` });
  }
  return found;
}

async function expected(step, { run, study, upload }, ask) {
  switch (step) {
    case 'upload':
      return (await ask(`/v1/functions/${upload}`)).id;
    case 'optimize':
      return `${(await ask(`/v1/optimize/${run}`)).id} ${SEED}`;
    case 'read': {
      const { best_fitness: fitness, best_solution: solution } = await ask(`/v1/optimize/${run}`);
      if (solution.some((value) => Math.fround(value) === value)) throw new Error('float32 can hold the solution');
      return bits(fitness, ...solution);
    }
    case 'list': {
      const { total, data } = await ask('/v1/optimize?limit=1');
      return `${total} ${data[0].id}`;
    }
    case 'study':
      return `${(await ask(`/v1/studies/${study}`)).id} ${SEED}`;
    case 'ask':
    case 'tell':
      return '3';
    case 'best': {
      const { best_fitness: fitness, best_solution: solution } = await ask(`/v1/studies/${study}/best`);
      return bits(fitness, ...solution);
    }
    case 'webhook':
      return '400 invalid_request url';
    default:
      return '401 unauthorized -';
  }
}
