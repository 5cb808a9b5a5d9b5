import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { NotifyEvent } from './notify-event.ts'
import { toDesktop, toNtfy, toSlack, toWebhook } from './tell-target.ts'

const EVENT: NotifyEvent = {
  ...{ id: 'msg_1', kind: 'question', at: '2026-01-01T00:00:00Z', stream: 'run', title: 'waits', text: 'Knots?' },
  ...{ url: 'https://drover.example.com/#/runs/1', data: { run_id: '1' } },
}
const now = new Date('2026-01-01T00:00:07.900Z')

describe('toWebhook', () => {
  it('signs the id, the time of the attempt and the body', () => {
    const secret = `whsec_${Buffer.from('a secret').toString('base64')}`
    const { headers, body } = toWebhook(EVENT, { url: 'https://x', secret, now })
    const signed = createHmac('sha256', 'a secret').update(`msg_1.1767225607.${body}`).digest('base64')
    expect(headers).toEqual({
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1767225607',
      'webhook-signature': `v1,${signed}`,
    })
    expect(JSON.parse(body)).toEqual({
      type: 'drover.question',
      timestamp: '2026-01-01T00:00:00Z',
      data: { run_id: '1', title: 'waits', text: 'Knots?', url: EVENT.url },
    })
  })

  it('uses a secret without the prefix as it is', () => {
    const { headers, body } = toWebhook(EVENT, { url: 'https://x', secret: 'plain', now })
    const signed = createHmac('sha256', 'plain').update(`msg_1.1767225607.${body}`).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${signed}`)
  })
})

it('lets no text of an agent mention anyone in Slack', () => {
  const { body } = toSlack({ ...EVENT, text: '<!channel> a & b <https://evil|here>' }, 'https://x')
  expect(JSON.parse(body).text).toBe(
    '*waits*\n&lt;!channel&gt; a &amp; b &lt;https://evil|here&gt;\n<https://drover.example.com/#/runs/1|Open in the console>',
  )
})

it.each([
  ['https://ntfy.sh/mine', 'https://ntfy.sh/', 'mine'],
  ['https://me:pw@example.com/ntfy/mine/?auth=x', 'https://me:pw@example.com/ntfy/?auth=x', 'mine'],
])('sends JSON for the topic of %s', (address, url, topic) => {
  const request = toNtfy(EVENT, address)
  expect([request.url, JSON.parse(request.body)]).toEqual([
    url,
    { topic, title: 'waits', message: 'Knots?', click: EVENT.url },
  ])
})

it('shows texts on a desktop as arguments, never as options or as a script', () => {
  const tricky = { ...EVENT, title: '--urgency=critical', text: '" & do shell script "x' }
  expect(toDesktop(tricky, 'linux')?.slice(-3)).toEqual(['--', tricky.title, tricky.text])
  expect(toDesktop(tricky, 'darwin')?.slice(-3)).toEqual(['--', tricky.title, tricky.text])
  expect(toDesktop(tricky, 'win32')).toBeUndefined()
})
