import { loadByIds } from '../api/load-all.ts'
import { findByKey } from '../assignment/assignment-key.ts'
import { assignmentPath, projectPath } from '../router/router.ts'
import { type Services, useServices } from '../services/services.ts'
import { themeSwitch } from '../services/settings.ts'
import { t } from '../texts/text.ts'
import { PersonAvatar } from '../ui/avatar.tsx'
import { Combobox, type Option } from '../ui/combobox.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { ProjectMark } from '../ui/page.tsx'

export interface Action {
  readonly icon: IconName
  readonly label: string
  run(): void
}

export interface CommandPaletteProps {
  readonly actions: readonly Action[]
  onClose(): void
}

/** The limit for each kind. Users type more to find others. */
const resultsMax = 6

/** Searches projects, assignments, people and actions by a part of their names. */
export function CommandPalette({ actions, onClose }: CommandPaletteProps) {
  const services = useServices()
  const all = [...actions, themeSwitch(services)]
  const runByLabel = new Map(all.map(({ label, run }) => [label, run]))
  const find = async (input: string, signal: AbortSignal): Promise<readonly Option[]> => {
    const text = input.trim()
    const matches = all.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
    const matchingActions = matches.map(({ label, icon }) => ({
      id: label,
      name: label,
      mark: <Icon name={icon} />,
    }))
    if (text === '') return matchingActions
    return [...matchingActions, ...(await findRecords(services, text, signal))]
  }
  const choose = ({ id }: Option) => {
    onClose()
    const run = runByLabel.get(id)
    if (run) run()
    else services.router.go(id)
  }
  return (
    <Dialog title={t('Search or run a command')} onClose={onClose}>
      <Combobox
        opensImmediately
        label={t('Search or run a command')}
        placeholder={t('Project, assignment, person or action')}
        valueText=""
        find={find}
        onChoose={choose}
      />
    </Dialog>
  )
}

/** The id of a record's option is its path, to which `choose` navigates. The id of an action is its label. */
async function findRecords(
  services: Services,
  text: string,
  signal: AbortSignal,
): Promise<readonly Option[]> {
  const { api, configuration, people, router, tracker } = services
  const query = { search: text, pageSize: resultsMax, sortColumn: 'name' } as const
  const projects = await api.list('project', query, signal)
  const assignments = await api.list('assignment', query, signal)
  const named = configuration.extensions ? await findByKey(tracker, text, signal) : undefined
  const found = [...(named ? [named] : []), ...assignments.data.filter(({ id }) => id !== named?.id)]
  const ids = found.map(({ projectId }) => projectId)
  const projectsById = await loadByIds(api, 'project', ids, signal)
  const [, projectId] = /^\/projects\/([^/]+)/.exec(router.address.peek().pathname) ?? []
  // Choosing a person filters the open board to their assignments, so only project pages offer people.
  const foundPeople = projectId === undefined ? [] : (await people.search(text, signal)).slice(0, resultsMax)
  return [
    ...projects.data.map(({ id, name }) => ({
      id: projectPath(id),
      name,
      note: t('Project'),
      mark: <ProjectMark id={id} />,
    })),
    ...found.map((assignment) => ({
      id: assignmentPath(assignment.projectId, assignment.id),
      name: assignment.name,
      note: projectsById.get(assignment.projectId)?.name ?? '',
      mark: <Icon name="dot" />,
    })),
    ...foundPeople.map(({ id, name }) => ({
      id: projectPath(projectId ?? '', `?userId=${id}`),
      name,
      note: t('Their assignments here'),
      mark: <PersonAvatar id={id} isDecorative />,
    })),
  ]
}
