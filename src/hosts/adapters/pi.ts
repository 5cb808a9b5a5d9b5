import { skill } from '../formats.ts'
import type { Host } from '../host.ts'

export const pi: Host = {
  id: 'pi',
  name: 'Pi',
  directories: ['.pi'],
  ownershipRoot: '.pi',
  surfaces: [],
  invocation: (name) => `/skill:${name}`,
  filesOf: (capability) => skill(capability, '.pi/skills'),
}
