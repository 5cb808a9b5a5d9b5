import { skill } from '../formats.ts'
import type { Host } from '../host.ts'

export const claude: Host = {
  id: 'claude',
  name: 'Claude Code',
  directories: ['.claude'],
  ownershipRoot: '.claude',
  surfaces: [],
  invocation: (name) => `/${name}`,
  filesOf: (capability) => skill(capability, '.claude/skills'),
}
