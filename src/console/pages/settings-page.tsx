/** The settings in force, and where each comes from. Only for those who manage the server. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { SettingList } from '../../service/administration.shape.ts'
import { attempt } from '../live/actions.ts'
import { call } from '../live/api.ts'
import { route } from '../live/router.ts'
import { FilterSelect, SearchField } from '../parts/filter-select.tsx'
import { toVisible } from '../text/visible-text.ts'

type Setting = SettingList['settings'][number]

const SOURCES = ['file', 'environment', 'flag', 'program', 'default']

export function SettingsPage() {
  const list = useSignal<SettingList | undefined>(undefined)
  useEffect(() => void attempt(async () => (list.value = await call<SettingList>('settings'))), [])
  const { query } = route.value
  const [search, from] = [query.get('search') ?? '', query.get('from') ?? '']
  const all = list.value?.settings ?? []
  const wanted = all.filter((each) => matches(each, search) && (from === '' || each.from === from))
  const sections = [...new Set(wanted.map(sectionOf))]
  const changed = all.filter((each) => each.from !== 'default').length
  return (
    <div class="page">
      <h1>Settings</h1>
      <search class="filters">
        <SearchField says="Search in settings" />
        <FilterSelect name="From" field="from" choices={SOURCES} />
      </search>
      {list.value === undefined ? (
        <p class="dim">Loading…</p>
      ) : (
        <p class="dim">
          {changed} of {all.length} are not the default. A change counts after a restart, unless it says at once.{' '}
          <code>drover config set KEY VALUE</code> changes <span class="path">{toVisible(list.value.file)}</span>
          {list.value.exists ? '.' : ', which does not exist yet.'}
        </p>
      )}
      {list.value !== undefined && wanted.length === 0 && <p class="dim">No setting matches.</p>}
      {sections.map((section) => (
        <Section key={section} name={section} settings={wanted.filter((each) => sectionOf(each) === section)} />
      ))}
    </div>
  )
}

const sectionOf = ({ key }: Setting) => (key.includes('.') ? (key.split('.')[0] ?? '') : 'general')

function matches({ key, description }: Setting, search: string): boolean {
  return `${key} ${description}`.toLowerCase().includes(search.toLowerCase())
}

function Section({ name, settings }: { name: string; settings: readonly Setting[] }) {
  return (
    <section aria-labelledby={`section-${name}`}>
      <h2 id={`section-${name}`}>{name}</h2>
      <dl class="setting-list">
        {settings.map((setting) => (
          <div key={setting.key} class={setting.from === 'default' ? 'setting' : 'setting setting-changed'}>
            <dt>
              <code>{setting.key}</code>
              <span class="dim setting-help">
                {setting.description.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}
              </span>
            </dt>
            <dd>
              <code class="setting-value">{showValue(setting.value)}</code>
              <span class="setting-from">
                <span class={`tag from-${setting.from}`} title={toVisible(setting.origin)}>
                  {setting.from === 'default' ? 'default' : toVisible(shortOrigin(setting))}
                </span>
                {setting.applies === 'at_once' && <span class="dim">at once</span>}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** The path of the file is on top of the page. */
function shortOrigin({ from, origin }: Setting): string {
  return from === 'file' ? `file, line ${origin.split(':').at(-2)}` : origin
}

function showValue(value: unknown): string {
  if (value === null || value === '') return 'empty'
  if (Array.isArray(value) && value.length === 0) return 'none'
  if (typeof value !== 'object') return toVisible(String(value))
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return toVisible(value.join(', '))
  const items = Array.isArray(value) ? value : [value]
  return items
    .map((item) =>
      toVisible(
        Object.entries(item)
          .map(([key, each]) => `${key}: ${asText(each)}`)
          .join(', '),
      ),
    )
    .join('\n')
}

const asText = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
