import { skill } from '../formats.ts'
import type { Host } from '../host.ts'

export const qwen: Host = {
  id: 'qwen',
  name: 'Qwen Code',
  directories: ['.qwen'],
  ownershipRoot: '.qwen',
  surfaces: [],
  invocation: (name) => `invoke the skill ${name}`,
  filesOf: (capability) => skill(capability, '.qwen/skills'),
}
