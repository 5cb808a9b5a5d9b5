/** What `drover serve` prints when the server listens: five lines, then up to five about problems. Pure. */
import type { AgentLocation } from '../../agents/locate-agents.ts'
import { formatBackend } from '../../prompts/format-backend.ts'
import { baseUrl } from '../../service/server-address.ts'
import { securityWarnings } from './security-warnings.ts'
import { addressText, agentWarnings, type BannerFacts, isAsset } from './startup-banner.ts'

/** `text` in the style `style`, or as it is where there are no colours. */
type Paint = (style: 'bold' | 'dim' | 'cyan' | 'yellow', text: string) => string

const MAX_WARNINGS = 4

/** Others may read what is not a terminal, so the link that logs in is shown only on one. */
export function startupSummary(facts: BannerFacts, { paint, isTty }: { paint: Paint; isTty: boolean }): string {
  const lines = [
    `${paint('bold', `drover ${facts.version}`)} listens on ${paint('cyan', addressText(facts))}`,
    ...consoleLines(facts, { paint, isTty }),
    `security   ${securityText(facts)}`,
    `agents     ${
      facts.agents
        .filter(({ isEnabled }) => isEnabled)
        .map(agentText)
        .join(', ') || 'none is enabled'
    }`,
    `endpoints  ${endpointsText(facts)} Press Ctrl-C to stop.`,
    ...warningLines(facts).map((line) => paint('yellow', line)),
  ]
  return `${lines.join('\n')}\n`
}

function consoleLines({ console, bound }: BannerFacts, { paint, isTty }: { paint: Paint; isTty: boolean }): string[] {
  if (console === undefined) return []
  if (!console.isBuilt) return ['console    not built in this clone; run "npm run build:console"']
  const link = isTty || !console.isOneTime ? console.url : `${baseUrl(bound)}/`
  const once = isTty
    ? ' (logs you in once, within 5 minutes; "drover open" prints another link)'
    : ' ("drover open" prints a link that logs you in)'
  return [`console    ${paint('cyan', link)}${paint('dim', console.isOneTime ? once : '')}`]
}

function securityText({ bound, hasKeys, config: { server } }: BannerFacts): string {
  const state = (isOn: boolean) => (isOn ? 'enabled' : 'disabled')
  return [
    `auth ${state(hasKeys)}`,
    `rate limit ${state(server.rate_limit_enabled)}`,
    `metrics ${state(server.metrics_enabled)}`,
    `trusted proxies ${server.trusted_proxies.join(' ') || 'none'}`,
    `bind host ${'socket' in bound ? 'none' : bound.host}`,
    `CORS origins ${server.cors_allowed_origins.join(' ') || 'none'}`,
  ].join(', ')
}

/** The beginnings of the paths. */
function endpointsText({ endpoints }: BannerFacts): string {
  const shown = endpoints.filter((endpoint) => !isAsset(endpoint))
  const starts = shown.map(({ path }) => /^(?:\/(?:api|openai|anthropic)\/v1|\/[^/]*)/.exec(path)?.[0] ?? path)
  const listed = [...new Set(starts)].filter((start) => start !== '/').join(', ')
  return `${listed} (${shown.length} in all, --verbose lists them with all settings).`
}

function agentText({ backend, program, isDemo }: AgentLocation): string {
  if (!isDemo && program === undefined) return `${backend} (not installed)`
  return formatBackend({ backend, is_demo: isDemo })
}

/** Warnings that do not fit are counted. */
function warningLines(facts: BannerFacts): string[] {
  const security = securityWarnings(facts).map(({ warning, suggestion }) => `! ${warning}; ${suggestion}`)
  const all = [...security, ...agentWarnings(facts.agents)]
  if (all.length <= MAX_WARNINGS) return all
  const shown = all.slice(0, MAX_WARNINGS)
  return [...shown, `! ${all.length - shown.length} more; --verbose shows them`]
}
