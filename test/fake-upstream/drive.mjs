// The model behind an agent that `drover drive` drives. It reads the kind and the id of the action from the prompt, and
//   orient     tries to write, asks one question unless the answer is there or the run has an issue, then suggests to implement
//              (with #spend in the goal: uses tools, again and again, once it has the answer)
//   implement  makes wind.txt wrong, and right when it is told of the failed check; runs the check each time, and reports both runs
//   review     tries to write, reports nothing
//   summarize  says so

export const QUESTION = 'Knots or km/h?';
export const ANSWER = 'In knots, please.';
const WRITES = 'echo hacked > hacked.txt';
const AGAIN = 'sh check.sh again';

const frame = { contract_version: 2, status: 'completed', observations: [], known_issues: [], suggested_actions: [], pause: null, implementation: null, review: null };

export function actionIn(prompt) {
  const [, kind, id] = [...(prompt ?? '').matchAll(/drover action: (\w+) ([0-9a-f-]{36})/g)].at(-1) ?? [];
  return { kind, id };
}

export function outcomeOf(kind, id, own) {
  const outcome = { action_id: id, action_kind: kind, summary: `The ${kind} is done.`, ...frame, ...own };
  return ['Done.\n\n', '```drover-outcome\n', JSON.stringify(outcome), '\n```\n'];
}

export function drive(t) {
  const { kind, id } = actionIn(t.prompt);
  if (!kind) return { parts: [{ text: ['Hello.'] }] };          // side requests: titles, summaries
  const says = (own) => ({ parts: [{ text: outcomeOf(kind, id, own) }] });
  const step = (...steps) => steps[t.toolResults];
  switch (kind) {
    case 'orient': {
      if (t.prompt.includes('#spend') && t.prompt.includes(ANSWER) && t.toolResults < 30) return { parts: [{ shell: `echo ${t.toolResults}` }] };
      const next = t.prompt.includes(ANSWER) || t.prompt.includes('## Requirements: ')
        ? { suggested_actions: [{ kind: 'implement', brief: 'Write the wind in knots.' }] }
        : { status: 'needs_input', pause: { reason: 'decision_required', question: QUESTION, destructive_request: null } };
      return step({ parts: [{ shell: WRITES }] }) ?? says(next);
    }
    case 'implement': {
      const isTold = t.prompt.includes('drover ran its checks');
      const wind = { path: t.cwd ? `${t.cwd}/wind.txt` : 'wind.txt', content: isTold ? 'wind: 23 knots\n' : 'wind: 12\n' };
      const ran = (exit_code) => ({ kind: 'test', command: AGAIN, exit_code, summary: `It ended with ${exit_code}.` });
      const activities = isTold ? [ran(1), ran(0)] : [ran(1)];
      const implementation = { result: 'applied', files_changed: ['wind.txt'], activities, uncertainties: [], attempts: 1 };
      const steps = [{ parts: [{ create: wind }] }, { parts: [{ shell: AGAIN }] }];
      return step(...steps) ?? says({ implementation });
    }
    case 'review':
      return step({ parts: [{ shell: WRITES }] }) ?? says({ review: { result: 'no_findings_reported', findings: [], uncertainties: [] } });
    default:
      return says({});
  }
}
