/** The push service of a browser vendor, and a browser. It checks and decrypts by itself, with nothing of drover. */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { certificate } from './forge/fake-forge.ts'

export type Pushed = { path: string; headers: Record<string, unknown>; body: Buffer }

export async function startPushService() {
  const pushed: Pushed[] = []
  let status = 201
  const answerWith = (next: number) => {
    status = next
  }
  const server = createServer(certificate(), async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    pushed.push({ path: request.url ?? '', headers: request.headers, body })
    response.writeHead(status, { location: 'https://127.0.0.1:1/' }).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // The certificate is only known here.
  const { NODE_TLS_REJECT_UNAUTHORIZED: before } = process.env
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
  })
  return { origin: `https://localhost:${(server.address() as AddressInfo).port}`, pushed, answerWith }
}

export function createBrowser(endpoint: string) {
  const own = createECDH('prime256v1')
  own.generateKeys()
  const auth = randomBytes(16)
  const keys = { p256dh: own.getPublicKey().toString('base64url'), auth: auth.toString('base64url') }
  /** What the service worker would get. Throws if it was not encrypted for this browser. */
  const decrypt = (body: Buffer) => {
    const [salt, length] = [body.subarray(0, 16), body.readUInt8(20)]
    const theirs = body.subarray(21, 21 + length)
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), theirs])
    const shared = Buffer.from(hkdfSync('sha256', own.computeSecret(theirs), auth, info, 32))
    const part = (name: string, bytes: number) =>
      Buffer.from(hkdfSync('sha256', shared, salt, Buffer.from(`Content-Encoding: ${name}\0`), bytes))
    const cipher = createDecipheriv('aes-128-gcm', part('aes128gcm', 16), part('nonce', 12))
    const sealed = body.subarray(21 + length)
    cipher.setAuthTag(sealed.subarray(-16))
    const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
    return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString())
  }
  return { subscription: { endpoint, keys }, decrypt }
}

/** The claims of a request, if this key has signed them. */
export function claimsOf({ headers }: Pushed, publicKey: string) {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(String(headers['authorization'])) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const jwk = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y } as never, format: 'jwk' })
  const signed = { key: jwk, dsaEncoding: 'ieee-p1363' } as const
  const isValid = verify('sha256', Buffer.from(`${head}.${claims}`), signed, Buffer.from(signature, 'base64url'))
  return isValid && key === publicKey ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : undefined
}
