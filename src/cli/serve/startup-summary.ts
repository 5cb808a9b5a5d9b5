/** What `drover serve` prints on a terminal when the server listens: at most ten lines, what to do about a problem last. Pure. */
import type { AgentLocation } from '../../agents/locate-agents.ts'
import { securityWarnings } from './security-warnings.ts'
import { addressText, agentWarnings, type BannerFacts } from './startup-banner.ts'

/** `text` in the style `style`, or as it is where there are no colours. */
type Paint = (style: 'bold' | 'dim' | 'cyan' | 'yellow', text: string) => string

const MAX_WARNINGS = 5

export function startupSummary(facts: BannerFacts, paint: Paint): string {
  const lines = [
    `${paint('bold', `drover ${facts.version}`)} listens on ${paint('cyan', addressText(facts))}`,
    ...consoleLines(facts, paint),
    `agents   ${
      facts.agents
        .filter(({ isEnabled }) => isEnabled)
        .map(agentText)
        .join(', ') || 'none is enabled'
    }`,
    paint('dim', 'Press Ctrl+C to stop. --verbose shows all settings and endpoints.'),
    ...warningLines(facts).map((line) => paint('yellow', line)),
  ]
  return `${lines.join('\n')}\n`
}

function consoleLines({ console }: BannerFacts, paint: Paint): string[] {
  if (console === undefined) return []
  if (!console.isBuilt) return ['console  not built in this clone; run "npm run build:console"']
  const note = console.isOneTime ? ' (logs you in once, within 5 minutes; "drover open" prints another link)' : ''
  return [`console  ${paint('cyan', console.url)}${paint('dim', note)}`]
}

function agentText({ backend, program, isDemo }: AgentLocation): string {
  if (isDemo) return `${backend} (demo)`
  return program === undefined ? `${backend} (not installed)` : backend
}

/** Warnings that do not fit are counted. */
function warningLines(facts: BannerFacts): string[] {
  const security = securityWarnings(facts).map(({ warning, suggestion }) => `! ${warning}; ${suggestion}`)
  const all = [...security, ...agentWarnings(facts.agents)]
  if (all.length <= MAX_WARNINGS) return all
  const shown = all.slice(0, MAX_WARNINGS)
  return [...shown, `! ${all.length - shown.length} more; --verbose shows them`]
}
