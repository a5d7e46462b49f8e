import { loadByIds } from '../api/load-all.ts'
import { assignmentPath, projectPath } from '../router/router.ts'
import { type Services, useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { PersonAvatar } from '../ui/avatar.tsx'
import { Combobox, type Option } from '../ui/combobox.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { ProjectMark } from '../ui/page.tsx'
import { chooseTheme, currentTheme } from './theme.tsx'

export interface Action {
  readonly icon: IconName
  readonly label: string
  run(): void
}

export interface CommandPaletteProps {
  readonly actions: readonly Action[]
  onClose(): void
}

/** The limit for each kind: the user types more to find more. */
const foundMax = 6

/** Searches projects, assignments, people and actions by a part of their names. */
export function CommandPalette({ actions, onClose }: CommandPaletteProps) {
  const services = useServices()
  const all = [...actions, themeAction()]
  const runs = new Map(all.map(({ label, run }) => [label, run]))
  const find = async (text: string, signal: AbortSignal): Promise<readonly Option[]> => {
    const fitting = all.filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()))
    const own = fitting.map(({ label, icon }) => ({ id: label, name: label, mark: <Icon name={icon} /> }))
    if (text.trim() === '') return own
    return [...own, ...(await findRecords(services, text, signal))]
  }
  const choose = ({ id }: Option) => {
    onClose()
    const run = runs.get(id)
    if (run) run()
    else services.router.go(id)
  }
  return (
    <Dialog title={t('Find anything, do anything')} onClose={onClose}>
      <Combobox
        opensAtOnce
        label={t('Find anything, do anything')}
        placeholder={t('Project, assignment, person or action')}
        chosen=""
        find={find}
        onChoose={choose}
      />
    </Dialog>
  )
}

function themeAction(): Action {
  const next = currentTheme() === 'dark' ? 'light' : 'dark'
  const label = next === 'dark' ? t('Use dark theme') : t('Use light theme')
  return { icon: next === 'dark' ? 'moon' : 'sun', label, run: () => chooseTheme(next) }
}

/** The id of each option is its address. */
async function findRecords(
  services: Services,
  text: string,
  signal: AbortSignal,
): Promise<readonly Option[]> {
  const { api, people, router } = services
  const query = { search: text, pageSize: foundMax, sortColumn: 'name' }
  const projects = await api.list('project', query, signal)
  const assignments = await api.list('assignment', query, signal)
  const ids = assignments.data.map(({ projectId }) => projectId)
  const theirs = await loadByIds(api, 'project', ids, signal)
  const [, projectId] = /^\/projects\/([^/]+)/.exec(router.address.peek().pathname) ?? []
  // A person leads to the assignments of that person on the open board.
  const persons = projectId === undefined ? [] : (await people.search(text, signal)).slice(0, foundMax)
  return [
    ...projects.data.map(({ id, name }) => ({
      id: projectPath(id),
      name,
      note: t('Project'),
      mark: <ProjectMark id={id} />,
    })),
    ...assignments.data.map((one) => ({
      id: assignmentPath(one.projectId, one.id),
      name: one.name,
      note: theirs.get(one.projectId)?.name ?? '',
      mark: <Icon name="dot" />,
    })),
    ...persons.map(({ id, name }) => ({
      id: projectPath(projectId ?? '', `?userId=${id}`),
      name,
      note: t('Their assignments here'),
      mark: <PersonAvatar id={id} isDecorative />,
    })),
  ]
}
