import { skill } from '../formats.ts'
import type { Host } from '../host.ts'

export const cursor: Host = {
  id: 'cursor',
  name: 'Cursor',
  directories: ['.cursor'],
  ownershipRoot: '.cursor',
  surfaces: [],
  invocation: (name) => `invoke the skill ${name}`,
  filesOf: (capability) => skill(capability, '.cursor/skills'),
}
