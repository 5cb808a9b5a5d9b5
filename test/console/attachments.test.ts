/** Images that are attached in the console, and shown there. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { closeBrowser, skipWithoutBrowser, visit } from '../support/browser.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { PDF, PNG } from '../support/sample-files.ts'
import { startServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

/** As a browser does it when an image is in the clipboard. */
const PASTE = (data: string) => `(() => {
  const bytes = Uint8Array.from(atob('${data}'), (each) => each.charCodeAt(0))
  const clipboardData = new DataTransfer()
  clipboardData.items.add(new File([bytes], 'pasted.png', { type: 'image/png' }))
  document.querySelector('.compose textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
})()`

describe('the console', () => {
  it.runIf(IS_FULL)(
    'sends images that are pasted or chosen, and shows them with the prompt and in the session',
    async () => {
      const server = await startServer({ agents: 'demo' })
      const { page, complaints, strangers } = await visit(`${server.url}/`)
      await page.locator('.compose textarea').fill('what is this?')
      await page.evaluate(PASTE(PNG.toString('base64')))
      await page.locator('.compose input[type=file]').setInputFiles([
        { name: '<b>paper</b>.pdf', mimeType: 'application/pdf', buffer: PDF },
        { name: 'wrong.png', mimeType: 'image/png', buffer: PNG },
      ])
      await page.getByRole('button', { name: 'wrong.png' }).click()
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      const isShown = `document.querySelector('.prompt .attached img')?.naturalWidth === 1`
      await until(() => page.evaluate(isShown))
      expect(await page.locator('.attached a').textContent()).toBe('<b>paper</b>.pdf')
      const { executions } = (await server.request('/api/v1/executions')).body as {
        executions: { id: string; session_id: string }[]
      }
      expect(executions).toHaveLength(1)
      const one = await server.request(`/api/v1/executions/${executions[0]?.id}`)
      expect(one.body).toMatchObject({ attachments: [{ name: 'pasted.png', size: PNG.length }, { size: PDF.length }] })
      await page.goto(`${server.url}/#/sessions/${executions[0]?.session_id}`)
      await until(() => page.evaluate(isShown))
      // From the memory of the page.
      const elsewhere = strangers.filter((url) => !url.startsWith(`blob:${server.url}/`))
      expect([complaints, elsewhere]).toEqual([[], []])
    },
  )
})
