import { command } from '../formats.ts'
import type { Host } from '../host.ts'

const ROOT = '.kilocode'

export const kilo: Host = {
  id: 'kilo',
  name: 'Kilo Code',
  directories: ['.kilo', ROOT],
  ownershipRoot: ROOT,
  surfaces: [],
  invocation: (name) => `/${name}`,
  filesOf: (capability) =>
    command(capability, {
      path: `.kilo/commands/${capability.name}.md`,
      root: ROOT,
      fields: [['subtask', 'false']],
    }),
}
