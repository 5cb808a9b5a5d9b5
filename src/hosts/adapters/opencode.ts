import { command } from '../formats.ts'
import type { Host } from '../host.ts'

const ROOT = '.opencode'

export const opencode: Host = {
  id: 'opencode',
  name: 'OpenCode',
  directories: [ROOT],
  ownershipRoot: ROOT,
  surfaces: [],
  invocation: (name) => `/${name}`,
  filesOf: (capability) => command(capability, { path: `${ROOT}/commands/${capability.name}.md`, root: ROOT }),
}
