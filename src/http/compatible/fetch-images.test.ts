import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PNG } from '../../../test/support/sample-files.ts'
import { ATTACHMENT_LIMITS } from '../../prompts/attachments.ts'
import { withFetchedImages } from './fetch-images.ts'

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const asking = (url: string) => ({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] })
const LOCAL = { fetch_images: true, fetch_private_hosts: ['127.0.0.0/8'] }
const PUBLIC = { fetch_images: true, fetch_private_hosts: [] }

describe('withFetchedImages', () => {
  it('puts the content in the place of the address', async () => {
    const port = await serve((_, response) => response.end(PNG))
    const source = { type: 'base64', data: PNG.toString('base64') }
    expect(await withFetchedImages(asking(`http://127.0.0.1:${port}/a`), LOCAL)).toEqual({
      messages: [{ role: 'user', content: [{ type: 'image', source }] }],
    })
    const named = { type: 'input_image', image_url: `http://localhost:${port}/a` }
    const inputWith = (part: object) => [
      { role: 'user', content: [part] },
      { type: 'function_call_output', call_id: 'c', output: [part] },
    ]
    const input = inputWith(named)
    expect(await withFetchedImages({ input }, LOCAL)).toEqual({ input: inputWith({ type: 'image', source }) })
  })

  it('fetches nothing if it is off, and leaves data URLs alone', async () => {
    const port = await serve(() => expect.unreachable())
    const body = asking(`http://127.0.0.1:${port}/a`)
    expect(await withFetchedImages(body, { ...LOCAL, fetch_images: false })).toBe(body)
    const data = asking('data:image/png;base64,AAAA')
    expect(await withFetchedImages(data, LOCAL)).toBe(data)
  })

  it.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '169.254.169.254',
    '10.0.0.1',
    '[fd00::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '2130706433',
  ])('refuses the private address %s', async (host) => {
    const fetched = withFetchedImages(asking(`http://${host}/a`), PUBLIC)
    await expect(fetched).rejects.toThrow('its host has a private address')
  })

  it('refuses a redirect to a private address, to another protocol, and too many', async () => {
    const port = await serve((request, response) => {
      const target = {
        '/private': 'http://10.0.0.1/a',
        '/file': 'file:///etc/passwd',
        '/loop': '/loop',
        '/once': '/png',
      }[request.url ?? '']
      if (target === undefined) response.end(PNG)
      else response.writeHead(302, { location: target }).end()
    })
    const fetch = (path: string) => withFetchedImages(asking(`http://127.0.0.1:${port}${path}`), LOCAL)
    await expect(fetch('/private')).rejects.toThrow('private address')
    await expect(fetch('/file')).rejects.toThrow('another protocol')
    await expect(fetch('/loop')).rejects.toThrow('redirects too often')
    expect(JSON.stringify(await fetch('/once'))).toContain(PNG.toString('base64'))
  })

  it('takes an image up to the limit, and refuses one byte more', async () => {
    const port = await serve((request, response) => response.end(Buffer.alloc(Number(request.url?.slice(1)))))
    const { bytesEach } = ATTACHMENT_LIMITS
    const fetch = (size: number) => withFetchedImages(asking(`http://127.0.0.1:${port}/${size}`), LOCAL)
    await fetch(bytesEach)
    await expect(fetch(bytesEach + 1)).rejects.toThrow(`more than ${bytesEach} bytes`)
  })

  it('refuses images that do not arrive within the time, however many there are', async () => {
    const port = await serve((request, response) => (request.url === '/quick' ? response.end(PNG) : undefined))
    const messages = ['quick', 'slow', 'slow2'].flatMap((path) => asking(`http://127.0.0.1:${port}/${path}`).messages)
    await expect(withFetchedImages({ messages }, LOCAL, 50)).rejects.toThrow(/\/slow .*: it took longer than 0.05 s/)
  })

  it('refuses an answer that is no success, and too many addresses', async () => {
    const port = await serve((_, response) => response.writeHead(404).end('no'))
    await expect(withFetchedImages(asking(`http://127.0.0.1:${port}/a`), LOCAL)).rejects.toThrow('answers with 404')
    const messages = Array.from(
      { length: ATTACHMENT_LIMITS.count + 1 },
      (_, at) => asking(`http://127.0.0.1/${at}`).messages[0],
    )
    await expect(withFetchedImages({ messages }, LOCAL)).rejects.toThrow('at most 20 images')
  })
})
