import { describe, expect, it } from 'vitest'
import type { ForgePermission } from './forge.ts'
import { rightsIn } from './rights.ts'

const PEOPLE: Readonly<Record<string, ForgePermission>> = { ada: 'admin', grace: 'write', hedy: 'triage', eve: 'read' }

describe('who may ask', () => {
  it('is everyone with write access, and each is looked up once', async () => {
    const asked: string[] = []
    const permissionOf = async (login: string) => {
      asked.push(login)
      return PEOPLE[login] ?? 'none'
    }
    const mayAsk = rightsIn({ permissionOf }, [])
    const who = ['ada', 'grace', 'hedy', 'eve', 'nobody', 'ada']
    expect(await Promise.all(who.map(mayAsk))).toEqual([true, true, false, false, false, true])
    expect(asked).toEqual(['ada', 'grace', 'hedy', 'eve', 'nobody'])
  })

  it('is only who is named, whatever the letter case and the access', async () => {
    const mayAsk = rightsIn({ permissionOf: async () => 'admin' }, ['Hedy'])
    expect(await Promise.all(['hedy', 'HEDY', 'hed', 'ada'].map(mayAsk))).toEqual([true, true, false, false])
  })
})
