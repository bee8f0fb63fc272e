/** Business problems: a form for each type, made from its schema. */
import { useState } from 'preact/hooks';
import { get, post } from '../api/client.js';
import type { Domain, Page, Run } from '../api/types.js';
import { Action, Card, Code, Field, Header, Shown } from '../ui/parts.js';
import { goTo } from '../ui/route.js';
import { useLoad } from '../ui/use-load.js';
import { SchemaForm, type Schema } from './schema-form.js';

type ProblemType = Domain['problem_types'][number];

export function Domains({ domain, type }: { domain: string | undefined; type: string | undefined }) {
  const domains = useLoad('domains', () => get<Page<Domain>>('/v1/domains?limit=100'));
  return (
    <Shown of={domains}>
      {({ data }) => {
        const types = data.find((one) => one.domain === domain)?.problem_types;
        const chosen = types?.find(({ problem_type }) => problem_type === type);
        if (domain !== undefined && chosen !== undefined) {
          return <Problem key={`${domain} ${type}`} domain={domain} of={chosen} />;
        }
        return (
          <>
            <Header title="Domains" />
            {data.map((one) => (
              <Card key={one.domain} title={one.domain.replaceAll('_', ' ')}>
                <ul class="tiles">
                  {one.problem_types.map(({ problem_type, title, summary }) => (
                    <li key={problem_type}>
                      <a href={`#/domains/${one.domain}/${problem_type}`}>{title}</a>
                      <p class="muted">{summary}</p>
                    </li>
                  ))}
                </ul>
              </Card>
            ))}
          </>
        );
      }}
    </Shown>
  );
}

function Problem({ domain, of }: { domain: string; of: ProblemType }) {
  const [place, setPlace] = useState(0);
  const { config_schema, example, summary } = of.models[place];
  const [config, setConfig] = useState<unknown>(example);
  const choose = (next: number): void => {
    setPlace(next);
    setConfig(of.models[next].example);
  };
  const solve = async (): Promise<void> => {
    const run = await post<Run>(
      `/v1/domains/${domain}/optimize`,
      { problem_type: of.problem_type, config },
      { Prefer: 'respond-async' },
    );
    goTo(`#/runs/${run.id}`);
  };
  return (
    <>
      <Header title={of.title}>
        <a class="button" href="#/domains">
          All domains
        </a>
      </Header>
      <p>{of.summary}</p>
      <Card title="Problem">
        {of.models.length > 1 && (
          <Field label="Model" hint={summary}>
            <select value={place} onChange={(event) => choose(Number(event.currentTarget.value))}>
              {of.models.map(({ model }, i) => (
                <option key={model} value={i}>
                  {model ?? of.title}
                </option>
              ))}
            </select>
          </Field>
        )}
        <p class="muted">It begins with an example that works.</p>
        <SchemaForm key={place} schema={config_schema as Schema} value={config} change={setConfig} />
        <Action kind="primary" run={solve}>
          Solve
        </Action>
      </Card>
      <Card title="The same as a request">
        <Code
          label="Body of the request"
          text={`POST /v1/domains/${domain}/optimize\n\n${JSON.stringify({ problem_type: of.problem_type, config }, null, 2)}\n`}
        />
      </Card>
    </>
  );
}
