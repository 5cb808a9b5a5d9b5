import { changeTags } from './change-tags.ts'

export const run = changeTags('removeTags')
