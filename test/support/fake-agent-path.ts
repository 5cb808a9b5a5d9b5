import { join } from 'node:path'

const SOURCES = join(import.meta.dirname, '..', 'fake-agent')

/** The script of a fake agent: bundled if the tests have bundled it, because it then starts in half the time. */
export function fakeAgentPath(name: 'agent' | 'acp-agent'): string {
  const bundles = process.env['FAKE_AGENT_BUNDLES']
  return bundles === undefined ? join(SOURCES, `${name}.ts`) : join(bundles, `${name}.mjs`)
}
