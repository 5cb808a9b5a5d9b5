// Turns a neutral action of a scenario into a call of whichever tool the request offers.
//   Action = { shell: command } | { create: { path, content } } | { read: path } | { look: path }
// offered = [{ name, schema }] where schema is the tool's JSON schema (may be missing).
// Agents name their tools and parameters differently, so: known names first, then parameter names found in the schema,
// then every other required parameter is filled with the smallest value of its type.

const NAMES = {
  shell: ['Bash', 'bash', 'run_shell_command', 'exec_command', 'Shell', 'shell', 'developer__shell', 'execute_command', 'shell_command', 'execute', 'run_commands', 'terminal', 'run_command', 'run_terminal_cmd', 'run_terminal_command', 'execute_bash', 'launch-process', 'exec'],
  create: ['Write', 'write', 'write_file', 'WriteFile', 'developer__write', 'write_to_file', 'write_text_file', 'create_file', 'create', 'save-file', 'file_write', 'str_replace_editor', 'file_editor', 'editor', 'developer__text_editor', 'text_editor'],
  // Only agents whose tools have these names refuse to write a file that they have not read.
  read: ['read_file'],
  look: ['read_file', 'Read', 'read', 'ReadFile', 'read_text_file', 'read_files', 'view', 'file_read'],
};
const PROPS = {
  shell: ['command', 'cmd', 'script', 'commands'],
  path: ['file_path', 'filePath', 'absolute_path', 'path', 'target_file', 'filename', 'file'],
  content: ['content', 'file_text', 'fileContent', 'contents', 'new_content', 'text', 'new_text'],
};

export const kindOf = (p) => ['shell', 'create', 'read', 'look'].find((k) => p[k] !== undefined);

const propsOf = (t) => t?.schema?.properties ?? {};
const prop = (t, kind) => PROPS[kind].find((n) => n in propsOf(t));

function filler(s, name) {
  if (s?.enum) return s.enum[0];
  switch (Array.isArray(s?.type) ? s.type[0] : s?.type) {
    case 'boolean': return false;
    case 'number': case 'integer': return s?.minimum ?? 1;
    case 'array': return [];
    case 'object': return {};
    default: return /desc|title|reason|explan|justif/i.test(name) ? 'Fake model step' : '';
  }
}

function withRequired(t, args) {
  for (const r of t?.schema?.required ?? []) if (!(r in args)) args[r] = filler(propsOf(t)[r], r);
  return args;
}

/** -> { name, args } or null when nothing that fits is offered */
export function toCall(part, offered) {
  const kind = kindOf(part);
  const t = NAMES[kind].map((n) => offered.find((o) => o.name === n)).find(Boolean);
  if (!t) return kind === 'look' ? toCall({ shell: `cat ${part.look}` }, offered) : null;
  const P = propsOf(t), args = {};
  const set = (k, v, fallback) => { args[prop(t, k) ?? fallback] = v; };
  if (kind === 'shell') {
    const k = prop(t, 'shell') ?? 'command';
    args[k] = P[k]?.type === 'array' ? (P[k].items?.type === 'object' ? [{ command: part.shell }] : k === 'commands' ? [part.shell] : ['bash', '-lc', part.shell]) : part.shell;
  } else if (kind === 'look' && P.files?.type === 'array') args.files = [{ path: part.look }];
  else if (kind === 'read' || kind === 'look') set('path', part.read ?? part.look, 'path');
  else {
    if (P.command?.enum || /editor$/.test(t.name)) args.command = (P.command?.enum ?? []).includes('write') ? 'write' : 'create';
    set('path', part.create.path, 'path'); set('content', part.create.content, 'content');
  }
  return { name: t.name, args: withRequired(t, args) };
}
