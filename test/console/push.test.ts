/** Notifications that reach the browser while no page is open: the service worker of the console, in a real browser. */
import { afterAll, beforeEach, expect, it } from 'vitest'
import { closeBrowser, skipWithoutBrowser, visit } from '../support/browser.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { startServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

it.runIf(IS_FULL)('a message that the server has pushed is shown, with a link into the console', async () => {
  const server = await startServer({ config: { notify: { targets: [{ name: 'all', type: 'browsers' }] } } })
  // This browser has no push service, so it cannot subscribe.
  const { page, complaints } = await visit(server.url, {
    permissions: ['notifications'],
    expects: /does not support the Push API in incognito mode/,
  })
  const cdp = await page.context().newCDPSession(page)
  const registrations: { registrationId: string; scopeURL: string }[] = []
  cdp.on('ServiceWorker.workerRegistrationUpdated', (event) => registrations.push(...event.registrations))
  const states: string[] = []
  cdp.on('ServiceWorker.workerVersionUpdated', ({ versions }) => states.push(...versions.map(({ status }) => status)))
  await cdp.send('ServiceWorker.enable')
  await until(() => states.includes('activated'))
  const { registrationId } = await until(() =>
    registrations.find(({ scopeURL }) => scopeURL === `${server.url}/console/`),
  )
  const url = 'https://drover.example.com/#/runs/1'
  const data = JSON.stringify({ id: 'msg_1', title: 'waits for you: wind', text: 'Knots or km/h?', url })
  await cdp.send('ServiceWorker.deliverPushMessage', { origin: server.url, registrationId, data })
  // The types of pages are not those of tests.
  const read = `navigator.serviceWorker.getRegistration('/console/').then((known) => known.getNotifications())
    .then((all) => all.map(({ title, body, tag, data: link }) => ({ title, body, tag, link })))`
  const shown = () => page.evaluate<object[]>(read)
  const [notification] = await until(async () => {
    const all = await shown()
    return all.length > 0 && all
  })
  expect(notification).toEqual({
    ...{ title: 'waits for you: wind', body: 'Knots or km/h?', tag: 'msg_1', link: `${server.url}/#/runs/1` },
  })
  expect(complaints).toEqual([])
})
