/** Builds the console (`src/console`) into `dist/console`: scripts and styles with a digest in their names, and the page that loads them. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { digest } from '../src/kit/digest.ts'

const LICENSED = [
  ...['preact', '@preact/signals', '@preact/signals-core'],
  ...['markdown-it', 'linkify-it', 'mdurl', 'uc.micro', 'punycode.js', 'entities'],
]

export async function buildConsole(root: string, outdir: string): Promise<void> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/console/start-console.tsx', 'src/console/push-worker.ts', 'src/console/style.css'],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    metafile: true,
    write: false,
    logLevel: 'warning',
  })
  mkdirSync(outdir, { recursive: true })
  const icons = createIcons(readFileSync(join(root, 'src/console/icon.svg'), 'utf8'))
  const built = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }))
  const files = [...built, ...icons]
  for (const { name, contents } of files) writeFileSync(join(outdir, name), contents)
  writeFileSync(join(outdir, 'LICENSES.txt'), licenses(root))
  const template = withIcons(readFileSync(join(root, 'src/console/page.html'), 'utf8'), icons)
  writePage(outdir, pageFor(metafile, template))
  const current = [...files.map(({ name }) => name), 'LICENSES.txt', 'page.html']
  for (const name of readdirSync(outdir)) if (!current.includes(name)) rmSync(join(outdir, name), { force: true })
}

type Icon = { state: string; name: string; contents: string }

/** The icon of the tab shows whether something needs the user. The page may load files of its server only, so each is a file. */
const ICON_COLORS: Readonly<Record<string, string>> = { idle: '', working: '#2f81f7', needs: '#f2a900' }

function createIcons(source: string): Icon[] {
  return Object.entries(ICON_COLORS).map(([state, color]) => {
    const dot = color === '' ? '' : `<circle cx="25" cy="7" r="6" fill="${color}" stroke="#fff" stroke-width="2"/>`
    const contents = source.replace('<!-- {{state}} -->', dot)
    return { state, name: `icon-${state}-${digest(contents).slice(7, 15)}.svg`, contents }
  })
}

function withIcons(template: string, icons: readonly Icon[]): string {
  return icons.reduce((page, { state, name }) => page.replaceAll(`{{icon-${state}}}`, `console/${name}`), template)
}

/** Last and at once: a server that reads the files meanwhile finds all that the page names. */
function writePage(outdir: string, page: string): void {
  const temporary = join(outdir, `.page-${process.pid}`)
  writeFileSync(temporary, page)
  renameSync(temporary, join(outdir, 'page.html'))
}

function pageFor({ outputs }: Metafile, template: string): string {
  const named = (source: string) => {
    const [path, output] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? []
    if (path === undefined || output === undefined) throw new Error(`${source} was not built`)
    return { name: basename(path), imports: output.imports }
  }
  const script = named('src/console/start-console.tsx')
  const preloads = script.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="console/${basename(path)}">`)
  return template
    .replace('{{style}}', `console/${named('src/console/style.css').name}`)
    .replace('{{script}}', `console/${script.name}`)
    .replace('{{worker}}', `console/${named('src/console/push-worker.ts').name}`)
    .replace('{{preloads}}', preloads.join('\n'))
}

/** Their licenses ask for it. */
function licenses(root: string): string {
  const texts = LICENSED.map((name) => {
    const folder = join(root, 'node_modules', name)
    const file = readdirSync(folder).find((each) => each.startsWith('LICENSE')) ?? 'LICENSE'
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8')}`
  })
  return `The console contains these packages.\n\n${texts.join('\n\n')}`
}

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '..')
  const { oneAtATime } = await import('./publish-build.ts')
  await oneAtATime(root, async () => await buildConsole(root, join(root, 'dist', 'console')))
}
