// The model behind an agent that does what a script says (DrivenScript in test/support/driven-home.ts). The script is the tag of the
// scenario in the base URL, as base64url of its JSON. For each kind of action it has one turn; of a turn this model knows
//   obeys, looks, runs, edits, runsAfter, writes, deletes   as calls of tools, in this order
//   says                                      instead of an answer with an outcome
//   outcome                                   replaces fields of an honest outcome
import { actionIn, outcomeOf } from './drive.mjs';

const quote = (word) => `'${word.replaceAll("'", `'\\''`)}'`;

const stepsOf = ({ obeys, looks, runs = [], edits = {}, runsAfter = [], writes = {}, deletes = [] }, { cwd, heard }) => [
  // a file, in which a line says what to run
  ...(obeys ? [{ shell: `cat ${quote(obeys)}` }, { shell: /^RUN: (.+)$/m.exec(heard?.at(-1))?.[1] }] : []),
  // the tool of an MCP server
  ...(looks ? [{ call: /(?:^|_)look$/, args: { x: looks } }] : []),
  ...runs.map((shell) => ({ shell })),
  ...Object.entries(edits).map(([path, content]) => ({ create: { path: cwd ? `${cwd}/${path}` : path, content } })),
  ...runsAfter.map((shell) => ({ shell })),
  ...Object.entries(writes).map(([path, content]) => ({ shell: `mkdir -p "$(dirname ${quote(path)})"; printf %s ${quote(content)} > ${quote(path)}` })),
  ...deletes.map((path) => ({ shell: `rm ${quote(path)}` })),
];

const applied = ({ edits = {}, writes = {} }) => ({ result: 'applied', files_changed: [...Object.keys(edits), ...Object.keys(writes)], activities: [], uncertainties: [], attempts: 1 });

const honest = (kind, turn) => ({
  orient: { suggested_actions: [{ kind: 'implement', brief: 'Do it.' }] },
  implement: { implementation: applied(turn) },
  review: { review: { result: 'no_findings_reported', findings: [], uncertainties: [] } },
})[kind] ?? {};

export function scripted(t, tag) {
  const { kind, id } = actionIn(t.prompt);
  if (!kind) return { parts: [{ text: ['Hello.'] }] };          // side requests: titles, summaries
  const turn = JSON.parse(Buffer.from(tag, 'base64url').toString('utf8'))[kind] ?? {};
  const step = stepsOf(turn, t)[t.toolResults];
  if (step !== undefined) return { parts: [step] };
  return { parts: [{ text: turn.says ? [turn.says] : outcomeOf(kind, id, { ...honest(kind, turn), ...turn.outcome }) }] };
}
