/** What was tried with clients on real agents. Each run of test/real/clients.test.ts replaces the results of what it tries. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = join(import.meta.dirname, '..', 'recordings', 'clients.json')

/** A server and a model of it. */
export type Place = { url: string; model: string }

export type Tried = { feature: string; error?: string | undefined }

/** `client` is the name of the row in docs/clients/README.md. */
export type TriedClient = { client: string; version: string; run(place: Place): Promise<Tried[]> }

/** CLIENT_FEATURES=tool,row tries only these. Empty: all. */
export const CHOSEN = (process.env['CLIENT_FEATURES'] ?? '').split(',').filter(Boolean)

/** Tries one feature after the other. A function throws if its feature does not work. */
export async function tryFeatures(features: Readonly<Record<string, () => Promise<unknown>>>): Promise<Tried[]> {
  const tried: Tried[] = []
  for (const [feature, run] of Object.entries(features)) {
    if (CHOSEN.length > 0 && !CHOSEN.includes(feature)) continue
    const error = await run().then(() => undefined, String)
    tried.push({ feature, error })
  }
  return tried
}

export type ClientResult = {
  client: string
  version: string
  agent: string
  agent_version: string
  feature: string
  /** `cannot`: the agent has no such ability, and the client got a clear error. */
  outcome: 'works' | 'fails' | 'cannot'
  date: string
}

/** What an agent cannot do. drover refuses it with an error that says so. */
const IMPOSSIBLE = [
  {
    ...{ feature: 'structured', agents: ['gemini', 'opencode', 'goose'] },
    // Their output is a call of a function.
    except: ['`pydantic-ai`', '`instructor`, mode `TOOLS`'],
    reason: 'The other agents take no schema for their answer. They refuse the request (400).',
  },
  {
    ...{ feature: 'coding', agents: ['goose'], except: [] },
    reason: 'The tools of goose cannot be switched off, so it cannot be a plain model (400).',
  },
]

export function whyNot({ client, agent, feature }: Pick<ClientResult, 'client' | 'agent' | 'feature'>) {
  return IMPOSSIBLE.find(
    (each) => each.feature === feature && each.agents.includes(agent) && !each.except.includes(client),
  )?.reason
}

export function readResults(): ClientResult[] {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

const keyOf = ({ client, agent, feature }: ClientResult) => `${client}\n${agent}\n${feature}`

export function noteResult(result: ClientResult): void {
  const others = readResults().filter((each) => keyOf(each) !== keyOf(result))
  const all = [...others, result].sort((one, two) => (keyOf(one) < keyOf(two) ? -1 : 1))
  writeFileSync(FILE, `[\n${all.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`)
}
