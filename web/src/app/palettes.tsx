import { useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { assignmentKey } from '../api/assignment-key.ts'
import { loadByIds } from '../api/load-all.ts'
import { useTimer } from '../assignment/timer-button.tsx'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { useCopy } from '../ui/copy.tsx'
import { findMatches } from '../ui/fuzzy.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { useRemoval } from '../ui/use-removal.ts'
import { actionsOn, stepFor, titleOf } from './assignment-steps.tsx'
import { CommandPalette, type PaletteItem, type PaletteStep } from './command-palette.tsx'
import type { Frame } from './palette-commands.ts'
import { findFirst, findProjects, loadKnown } from './palette-steps.tsx'
import { findScreen } from './screens.ts'
import { findTargetId } from './targets.ts'
import type { Overlay } from './use-shortcuts.ts'

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
  const [targetId] = useState(() => findTargetId(pathname))
  const { projectId } = findScreen(pathname)?.parameters ?? {}
  const known = useOnce(() => loadKnown(services))
  const first: PaletteStep = {
    title: t('Search or run a command'),
    placeholder: t('Search or run a command'),
    find: (text, signal) =>
      findFirst(services, { frame: { ...frame, projectId }, targetId, known }, text, signal),
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

/** Chooses a value for assignments, or one of all actions if no field is named. */
export function AssignmentPalette({ field, ids, at, keepFocusOn, onClose }: AssignmentPaletteProps) {
  const services = useServices()
  const moreActions = useMoreActions()
  const title = field === undefined ? t('Actions') : titleOf(field)
  const [targetId] = useState(() => findTargetId(services.router.address.peek().pathname))
  const loadRows = useOnce(async () => [
    ...(await loadByIds(services.api, 'assignment', ids, new AbortController().signal)).values(),
  ])
  const find: PaletteStep['find'] = async (text, signal) => {
    const rows = await loadRows()
    if (field !== undefined) return stepFor(services, field, rows).find(text, signal)
    const [only] = rows.length === 1 ? rows : []
    const actions = [...actionsOn(services, rows), ...(only ? await moreActions(only, signal) : [])]
    return findMatches(actions, text)
  }
  const close = () => {
    onClose()
    if (targetId !== undefined) keepFocusOn(targetId)
  }
  const hasMonth = field === 'start' || field === 'end'
  return <CommandPalette first={{ title, placeholder: title, find, hasMonth }} at={at} onClose={close} />
}

/** Returns a function that loads a value once, as long as nothing fails. */
function useOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  const loading = useRef<Promise<Value>>(undefined)
  return () => {
    loading.current ??= load().catch((error) => {
      loading.current = undefined
      throw error
    })
    return loading.current
  }
}

/** Returns a function that finds the actions on one assignment that are not a change of a field. */
function useMoreActions() {
  const { api, router } = useServices()
  const copy = useCopy()
  const remove = useRemoval()
  const timerOf = useTimer()
  return async (assignment: RecordOf<'assignment'>, signal: AbortSignal): Promise<readonly PaletteItem[]> => {
    const { id, name, projectId } = assignment
    const projects = await loadByIds(api, 'project', [projectId], signal)
    const key = assignmentKey(projects.get(projectId)?.key, assignment)
    const path = assignmentPath(projectId, id)
    const timer = timerOf(assignment)
    const actions: readonly (Pick<PaletteItem, 'id' | 'name' | 'words' | 'isDanger'> & {
      icon: IconName
      run(): void
    })[] = [
      { id: 'open', name: t('Open'), icon: 'expand', run: () => router.go(path) },
      {
        id: 'timer',
        words: 'clock track time relógio tempo',
        name: timer.isRunning ? t('Stop the timer') : t('Start a timer'),
        icon: timer.isRunning ? 'stop' : 'play',
        run: timer.toggle,
      },
      ...(key === ''
        ? []
        : [
            {
              id: 'copy-key',
              name: t('Copy {key}', { key }),
              icon: 'copy' as const,
              run: () => copy(key, t('{key} was copied.', { key })),
            },
          ]),
      {
        id: 'copy',
        name: t('Copy link'),
        words: 'url address share endereço compartilhar',
        icon: 'link',
        run: () => copy(location.origin + (key === '' ? path : `/a/${key}`), t('The link was copied.')),
      },
      {
        id: 'remove',
        name: t('Remove this assignment'),
        words: 'delete excluir apagar',
        isDanger: true,
        icon: 'trash',
        run: () => void remove('assignment', id, name),
      },
    ]
    return actions.map(({ icon, ...action }) => ({ ...action, group: name, mark: <Icon name={icon} /> }))
  }
}
