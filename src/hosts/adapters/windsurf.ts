import { command } from '../formats.ts'
import type { Host } from '../host.ts'

const ROOT = '.windsurf'

export const windsurf: Host = {
  id: 'windsurf',
  name: 'Windsurf',
  directories: [ROOT],
  ownershipRoot: ROOT,
  surfaces: [],
  invocation: (name) => `/${name}`,
  filesOf: (capability) => command(capability, { path: `${ROOT}/workflows/${capability.name}.md`, root: ROOT }),
}
