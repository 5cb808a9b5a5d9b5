import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BodyParts, createBodyReader, type ReadBody } from './read-body.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'bin', 'json-thread.cjs')
const large = (rest: string) => Buffer.from(`{"text":"${'x'.repeat(300_000)}",${rest}`)

describe('createBodyReader', () => {
  const reader = (readBody: ReadBody) => async (bytes: Buffer) => readBody(inParts(bytes))
  const read = reader(createBodyReader(PROGRAM))
  const readHere = reader(createBodyReader(undefined))

  it.each([
    ['small', Buffer.from('{"a":[1,2.5,true,null]}')],
    ['large', large('"list":[1,2.5,true,null,"\\u00e9"]}')],
    ['large, with an integer beyond 2^53', large('"number":9007199254740993}')],
    ['large, with the name __proto__', large('"__proto__":{"a":1}}')],
  ])('gives the same value in the thread: %s', async (_name, bytes) => {
    const value = await read(bytes)
    expect(value).toEqual(await readHere(bytes))
    expect(Object.keys(value as object)).toEqual(Object.keys((await readHere(bytes)) as object))
  })

  it.each([
    ['no JSON', large('}')],
    ['a duplicate key', large('"a":1,"a":2}')],
    ['bytes that are not UTF-8', Buffer.concat([large('"a":"'), Buffer.from([0xff])])],
  ])('gives the same error in the thread: %s', async (_name, bytes) => {
    const errorOf = async (readBytes: typeof read) => {
      try {
        return await readBytes(bytes)
      } catch (error) {
        return error
      }
    }
    const { code, message, details } = (await errorOf(readHere)) as { code: string; message: string; details: object }
    expect(await errorOf(read)).toMatchObject({ code, message, details })
  })

  it('reads several bodies at once', async () => {
    const values = await Promise.all([1, 2, 3].map((number) => read(large(`"number":${number}}`))))
    expect(values).toMatchObject([{ number: 1 }, { number: 2 }, { number: 3 }])
  })
})

/** As they come from a socket, where several parts may share a buffer. */
function inParts(bytes: Buffer): BodyParts {
  const body = new BodyParts()
  for (let at = 0; at < bytes.length; at += 65_521) body.add(bytes.subarray(at, at + 65_521))
  return body
}
