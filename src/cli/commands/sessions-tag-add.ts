import { changeTags } from '../sessions/change-tags.ts'

export const run = changeTags('addTags')
