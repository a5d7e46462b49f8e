import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { loadByIds } from '../api/load-all.ts'
import { loadOrRecall, useRemoveMany } from '../assignment/change-many.ts'
import { focusInPanel } from '../assignment/panel-frame.tsx'
import { useTimer } from '../assignment/timer-button.tsx'
import { assignmentKey } from '../data/assignments.ts'
import { assignmentPath, projectPath } from '../router/router.ts'
import { assignmentElementId } from '../screens/project/use-card-focus.ts'
import { type Services, useRemoval, useServices } from '../services/services.ts'
import { type MessageKey, t } from '../texts/text.ts'
import { useCopy } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { findMatches } from '../ui/fuzzy.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { markdownKeys } from '../ui/markdown-tools.tsx'
import { matchesWords } from '../ui/option-search.tsx'
import { SearchField } from '../ui/page.tsx'
import { actionsOn, fieldsOn, stepFor } from './assignment-steps.tsx'
import { CommandPalette, Keys, type PaletteItem, type PaletteStep } from './command-palette.tsx'
import { createLazyValue, knownRecordsOf } from './known-records.ts'
import type { Frame } from './palette-commands.ts'
import { createFirstStep, findAtOnce, findFirst, findProjects, loadStart } from './palette-steps.tsx'
import { findScreen } from './screens.ts'
import {
  type AssignmentField,
  findTargetId,
  type Overlay,
  type ShortcutGroup,
  shortcutGroups,
} from './use-shortcuts.ts'

interface FocusProps {
  /** The chosen command may move the focused card to another column. */
  keepFocusOn(assignmentId: string): void
  onClose(): void
}

export function Palette({
  frame,
  keepFocusOn,
  onClose,
}: FocusProps & { readonly frame: Omit<Frame, 'projectId'> }) {
  const services = useServices()
  const { pathname } = services.router.address.peek()
  // The target is found before the palette takes the focus.
  const [targetIds] = useState(() => {
    const id = findTargetId()
    return id === undefined ? [] : [id]
  })
  const [targetId] = targetIds
  useMarkedRows(targetIds)
  const { projectId } = findScreen(pathname)?.parameters ?? {}
  const known = knownRecordsOf(services)
  const timerLine = useTimerLine()
  const removalLine = useRemovalLine()
  const copyLine = useCopyLine()
  const keyOf = (row: Assignment) => assignmentKey(known.current?.projectsById.get(row.projectId)?.key, row)
  /** Returns the actions that the menu of the right button does not have, or has elsewhere. */
  const otherLines = (row: Assignment | undefined): readonly MenuLine[] => [
    timerLine(row),
    ...editLines(services, row),
    copyLine(row, row ? keyOf(row) : ''),
    ...(row ? [removalLine([row])] : []),
  ]
  const [step] = useState(() =>
    createFirstStep(services, {
      frame: { ...frame, projectId },
      start: createLazyValue(() => loadStart(services, projectId, targetId)),
      known,
      actionsOn: (rows) => [
        ...actionsOn(services, rows),
        ...otherLines(rows[0]).map((line) => itemOf(line, '')),
      ],
    }),
  )
  const [, setLoadedCount] = useState(0)
  useEffect(() => {
    // Renders again when a part arrives, so that `findAtOnce` searches it.
    for (const part of [step.start, known])
      part.load().then(
        () => setLoadedCount((count) => count + 1),
        () => undefined,
      )
  }, [])
  const title = t('Search or run a command')
  const first: PaletteStep = {
    title,
    placeholder: title,
    findAtOnce: (text) => findAtOnce(step, text),
    find: (text, signal) => findFirst(services, step, text, signal),
  }
  const close = () => {
    onClose()
    if (targetId !== undefined) keepFocusOn(targetId)
  }
  return <CommandPalette first={first} onClose={close} />
}

/** Chooses the project of a new assignment if the screen shows no project. */
export function ProjectPalette({
  onChoose,
  onClose,
}: {
  onChoose(projectId: string): void
  onClose(): void
}) {
  const services = useServices()
  const title = t('New assignment in…')
  const find: PaletteStep['find'] = (text, signal) =>
    findProjects(services, { title, onChoose }, text, signal)
  return <CommandPalette first={{ title, placeholder: title, find }} onClose={onClose} />
}

type AssignmentPaletteProps = Extract<Overlay, { readonly kind: 'assignment' }> & FocusProps

/** Chooses a value for assignments, or an action if no field is named. */
export function AssignmentPalette({ field, ids, at, keepFocusOn, onClose }: AssignmentPaletteProps) {
  const services = useServices()
  const findLines = useMenuLines()
  const [targetId] = useState(findTargetId)
  const [loaded] = useState(() => createLazyValue(() => loadOrRecall(services, ids)))
  const actions: PaletteStep = {
    title: t('Actions'),
    placeholder: t('Filter actions…'),
    find: async (text, signal) => findMatches(await findLines(await loaded.load(), signal), text),
  }
  const valuesOf = (chosen: AssignmentField): PaletteStep => ({
    ...stepFor(services, chosen, []),
    find: async (text, signal) => stepFor(services, chosen, await loaded.load()).find(text, signal),
  })
  const close = () => {
    onClose()
    if (targetId !== undefined) keepFocusOn(targetId)
  }
  useMarkedRows(ids)
  return <CommandPalette first={field ? valuesOf(field) : actions} at={at} onClose={close} />
}

/** Marks the cards and rows that an open menu or list of values is for. */
function useMarkedRows(ids: readonly string[]): void {
  useLayoutEffect(() => {
    const marked = ids.flatMap((id) => [...document.querySelectorAll(`[data-row="${id}"]`)])
    for (const row of marked) row.setAttribute('data-has-menu', '')
    return () => {
      for (const row of marked) row.removeAttribute('data-has-menu')
    }
  }, [ids])
}

type Assignment = RecordOf<'assignment'>
type MenuLine = Pick<PaletteItem, 'id' | 'name' | 'words' | 'keys' | 'isDanger'> & {
  icon: IconName
  run(): void
}

/**
 * Returns a function that finds the lines of the menu of assignments: links to a single assignment, the
 * fields, the timer of a single assignment, and the removal.
 */
function useMenuLines() {
  const services = useServices()
  const findLinks = useLinkLines()
  const removalLine = useRemovalLine()
  const timerLine = useTimerLine()
  return async (rows: readonly Assignment[], signal: AbortSignal): Promise<readonly PaletteItem[]> => {
    const [only] = rows.length === 1 ? rows : []
    const fields = fieldsOn(services, rows)
    const group = fields[0]?.group ?? ''
    const toItem = (line: MenuLine) => itemOf(line, group)
    const sections = [
      (only ? await findLinks(only, signal) : []).map(toItem),
      fields,
      (only ? [timerLine(only)] : []).map(toItem),
      [toItem(removalLine(rows))],
    ]
    return sections.flatMap((lines, section) => lines.map((line) => ({ ...line, section })))
  }
}

const itemOf = ({ icon, ...line }: MenuLine, group: string): PaletteItem => ({
  ...line,
  group,
  mark: <Icon name={icon} />,
})

/** Returns a function that gives the line that removes assignments. */
function useRemovalLine() {
  const { router } = useServices()
  const remove = useRemoveMany()
  const removeOne = useRemoval()
  const leave = ({ id, projectId }: Assignment) => {
    const { pathname, search } = router.address.peek()
    if (pathname === assignmentPath(projectId, id)) router.close(projectPath(projectId, search))
  }
  return (rows: readonly Assignment[]): MenuLine => {
    const [only] = rows.length === 1 ? rows : []
    return {
      id: 'remove',
      name: t('Remove'),
      words: { en: 'delete', pt: 'excluir apagar' },
      isDanger: true,
      icon: 'trash',
      run: () =>
        void (only
          ? removeOne('assignment', only.id, only.name, undefined, () => leave(only))
          : remove(rows.map(({ id }) => id))),
    }
  }
}

/** Returns the lines that open an assignment with the focus in one of its fields, or with one of its forms. */
function editLines(
  { configuration, router }: Services,
  assignment: Assignment | undefined,
): readonly MenuLine[] {
  const openAt = (selector: string) => {
    if (assignment === undefined) return
    const { id, projectId } = assignment
    const { pathname, search } = router.address.peek()
    const query = pathname === projectPath(projectId) ? search : ''
    if (document.querySelector(`[data-assignment="${id}"]`) === null)
      router.go(assignmentPath(projectId, id, query))
    // The palette first returns the focus.
    setTimeout(() => focusInPanel(id, selector))
  }
  return panelLines
    .filter(({ isExtension }) => configuration.extensions || !isExtension)
    .map(({ name, selector, ...line }) => ({
      ...line,
      id: selector,
      name: t(name),
      run: () => openAt(selector),
    }))
}

interface PanelLine extends Pick<MenuLine, 'icon' | 'words' | 'keys'> {
  readonly name: MessageKey
  readonly selector: string
  readonly isExtension?: boolean
}

/** The parts of the panel to which the palette leads. */
const panelLines: readonly PanelLine[] = [
  {
    name: 'Rename…',
    words: { en: 'rename edit title name', pt: 'renomear editar título nome' },
    icon: 'edit',
    keys: ['F2'],
    selector: '.panel-name',
  },
  {
    name: 'Edit the description',
    words: { en: 'description text details', pt: 'descrição texto detalhes' },
    icon: 'edit',
    selector: '.description button',
  },
  {
    name: 'Record hours',
    words: { en: 'log time spent worked', pt: 'apontar registrar tempo' },
    icon: 'record',
    selector: '[data-tool=hours]',
  },
  {
    name: 'Add a sub-assignment…',
    words: { en: 'subtask child part split', pt: 'subtarefa filha parte dividir' },
    icon: 'plus',
    selector: '[data-tool=part]',
    isExtension: true,
  },
  {
    name: 'Add a relation…',
    words: {
      en: 'depends dependency waits for blocked by parent related link',
      pt: 'depende dependência espera bloqueada por pai relacionada',
    },
    icon: 'plus',
    selector: '.panel-adders [aria-haspopup]',
    isExtension: true,
  },
  {
    name: 'Add a person…',
    words: { en: 'participants collaborators people together', pt: 'participantes colaboradores pessoas' },
    icon: 'people',
    selector: '[aria-labelledby=people-title] input',
  },
  {
    name: 'Attach files',
    words: { en: 'add upload attachment image document', pt: 'adicionar anexo imagem documento' },
    icon: 'file',
    selector: '[data-tool=files]',
    isExtension: true,
  },
  {
    name: 'Comment',
    words: { en: 'write comment reply note', pt: 'escrever comentar responder nota' },
    icon: 'comment',
    selector: '.composer textarea',
    isExtension: true,
  },
]

/** Returns a function that gives the line that starts or stops the timer of an assignment. */
function useTimerLine() {
  const timerOf = useTimer()
  return (assignment: Assignment | undefined): MenuLine => {
    const { isRunning, toggle } = assignment ? timerOf(assignment) : { isRunning: false, toggle: () => {} }
    return {
      id: 'timer',
      words: { en: 'clock track time start stop', pt: 'relógio tempo iniciar parar' },
      name: isRunning ? t('Stop the timer') : t('Start a timer'),
      icon: isRunning ? 'stop' : 'play',
      keys: assignment === undefined || hasKey(assignment.id, 'T') ? ['T'] : [],
      run: toggle,
    }
  }
}

/** Returns whether the card of an assignment listens to a key. */
const hasKey = (id: string, key: string): boolean =>
  document.getElementById(assignmentElementId(id))?.ariaKeyShortcuts?.split(' ').includes(key) ?? false

/** Returns a function that finds the lines that open an assignment, and that copy its key and address. */
function useLinkLines() {
  const { api, router } = useServices()
  const copy = useCopy()
  const copyLine = useCopyLine()
  return async (assignment: Assignment, signal: AbortSignal): Promise<readonly MenuLine[]> => {
    const { id, projectId } = assignment
    const projects = await loadByIds(api, 'project', [projectId], signal).catch(() => undefined)
    const key = assignmentKey(projects?.get(projectId)?.key, assignment)
    const keyLine: MenuLine = {
      id: 'copy-key',
      name: t('Copy {key}', { key }),
      icon: 'copy',
      run: () => copy(key, t('{key} was copied.', { key })),
    }
    return [
      {
        id: 'open',
        name: t('Open'),
        icon: 'expand',
        keys: ['Enter'],
        run: () => router.go(assignmentPath(projectId, id)),
      },
      ...(key === '' ? [] : [keyLine]),
      copyLine(assignment, key),
    ]
  }
}

/** Returns a function that gives the line that copies the address of an assignment. */
function useCopyLine() {
  const copy = useCopy()
  return (assignment: Assignment | undefined, key: string): MenuLine => ({
    id: 'copy',
    name: t('Copy link'),
    words: { en: 'url address share', pt: 'endereço compartilhar' },
    icon: 'link',
    run: () => {
      if (assignment === undefined) return
      const path = key === '' ? assignmentPath(assignment.projectId, assignment.id) : `/a/${key}`
      copy(location.origin + path, t('The link was copied.'))
    },
  })
}

/** The shortcuts of single views, which have their own listeners. */
const groupsOfViews: readonly ShortcutGroup[] = [
  {
    title: 'List',
    shortcuts: [
      { keys: ['X'], description: 'Select an assignment of the list' },
      { keys: ['Home / End'], description: 'First or last row' },
      { keys: ['PgUp / PgDn'], description: 'Up or down by a page of rows' },
    ],
  },
  {
    title: 'Calendar and timeline',
    shortcuts: [
      { keys: ['Shift', '← →'], description: 'Move a day earlier or later' },
      { keys: ['Shift', 'Alt', '← →'], description: 'End a day earlier or later (timeline)' },
      { keys: ['Shift', '↑ ↓'], description: 'Assign to the person above or below (timeline)' },
    ],
  },
  {
    title: 'Texts',
    shortcuts: [
      { keys: markdownKeys.Bold, description: 'Bold' },
      { keys: markdownKeys.Italic, description: 'Italic' },
      { keys: markdownKeys.Link, description: 'Link' },
      { keys: ['Ctrl', 'Enter'], description: 'Save or send the text' },
    ],
  },
  {
    title: 'Week and inbox',
    shortcuts: [
      { keys: ['F2'], description: 'Open the entries of a cell of the week' },
      { keys: ['E'], description: 'Mark a notification as read' },
      { keys: ['U'], description: 'Mark a notification as unread' },
    ],
  },
]

/** Lists the shortcuts, which are filtered by their descriptions and keys. */
export function ShortcutSheet({ onClose }: { onClose(): void }) {
  const { extensions } = useServices().configuration
  const [text, setText] = useState('')
  const groups = [...shortcutGroups, ...groupsOfViews]
    .map(({ title, shortcuts }) => ({
      title,
      shown: shortcuts.filter(
        ({ keys, description, isExtension }) =>
          (extensions || !isExtension) && matchesWords(`${t(description)} ${keys.join(' ')}`, text),
      ),
    }))
    .filter(({ shown }) => shown.length > 0)
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={onClose}>
      <SearchField label={t('Search the shortcuts')} value={text} isFirst onChange={setText} />
      <div class="shortcuts">
        {groups.map(({ title, shown }) => (
          <section key={title} class="shortcut-sheet">
            <h3>{t(title)}</h3>
            <dl>
              {shown.map(({ keys, description }) => (
                <div key={description}>
                  <dt>{t(description)}</dt>
                  <dd>
                    <Keys keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        {groups.length === 0 && <p class="quiet-text">{t('Nothing found.')}</p>}
      </div>
    </Dialog>
  )
}
