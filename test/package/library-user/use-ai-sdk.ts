/** A program of a user of the AI SDK. Its types are checked against the package as it is published, and it is run. */
import { APICallError, generateText, type LanguageModel, streamText } from 'ai'
import { createDrover } from 'drover'
import { createDroverProvider, type DroverModelSettings, type DroverProvider, drover } from 'drover/ai-sdk'

await using instance = createDrover({ demo: true })
const provider: DroverProvider = createDroverProvider({ drover: instance })
const settings: DroverModelSettings = { store: true, approval_mode: 'none', timeout_secs: 60 }

const generated = await generateText({ model: provider('codex', settings), prompt: 'say hello', maxRetries: 0 })
const tokens: number | undefined = generated.usage.outputTokens

const streamed = streamText({ model: provider.languageModel('gemini'), prompt: 'say hello', maxRetries: 0 })
let text = ''
for await (const piece of streamed.textStream) text += piece

const failed: unknown = await generateText({ model: provider('nope'), prompt: 'x', maxRetries: 0 }).catch(
  (error) => error,
)
// Without a separate instance, nothing is opened before the first call.
const unused: LanguageModel = drover('claude')

process.stdout.write(
  JSON.stringify({
    generated: generated.text,
    hasTokens: (tokens ?? 0) > 0,
    session: typeof generated.providerMetadata?.['drover']?.['session_id'],
    streamed: text,
    finish: await streamed.finishReason,
    isKnownError: APICallError.isInstance(failed),
    unused: typeof unused === 'object' && unused.provider,
  }),
)
