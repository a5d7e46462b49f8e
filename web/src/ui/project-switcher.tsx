import { rowsMax } from '../api/load-all.ts'
import { projectPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { locale, type MessageKey, t } from '../texts/text.ts'
import type { Option } from './combobox.tsx'
import { Icon, type IconName } from './icon.tsx'
import { hueOf } from './marks.tsx'
import { ChoiceLayer, matchesWords } from './option-search.tsx'
import type { ProjectMarkProps } from './page.tsx'

interface ProjectSwitcherProps {
  readonly id: string
  readonly button: { readonly current: HTMLButtonElement | null }
  readonly currentId: string
  /** The path of the page that is shown. Undefined for the views. */
  readonly currentPage: string | undefined
  /** The pages of the current project for which the header has no room. They begin the list. */
  readonly pages: readonly { readonly path: string; readonly icon: IconName; readonly label: MessageKey }[]
  /** The part of the page's address after the project, which stays the same. */
  readonly addressEnd: string
  onMembers(): void
  onClose(): void
}

type PageOption = Option & { run(): void }

/**
 * Lists the projects, which are searched by typing, and opens the same page of the chosen project. On phones,
 * the pages of the current project precede them.
 */
export function ProjectSwitcher(props: ProjectSwitcherProps) {
  const { id, button, currentId, currentPage, pages, addressEnd, onMembers, onClose } = props
  const { api, router } = useServices()
  const hasPages = pages.length > 0
  const options: readonly PageOption[] = [
    ...pages.map(({ path, icon, label }) => ({
      id: path,
      name: t(label),
      mark: <Icon name={icon} />,
      run: () => router.go(projectPath(currentId, `/${path}`)),
    })),
    { id: 'members', name: t('Members…'), mark: <Icon name="people" />, run: onMembers },
  ]
  const find = async (text: string, signal: AbortSignal): Promise<readonly Option[]> => {
    const query = { search: text.trim(), sortColumn: 'name', pageSize: rowsMax } as const
    const { data } = await api.list('project', query, signal)
    const projects = data
      .filter((project) => !project.isArchived || project.id === currentId)
      .map((project, index) => ({
        id: project.id,
        name: project.name,
        mark: <ProjectLetter project={project} />,
        ...(project.key && { note: project.key }),
        isCurrent: project.id === currentId && !hasPages,
        startsSection: hasPages && index === 0,
      }))
    return hasPages ? [...options.filter(({ name }) => matchesWords(name, text)), ...projects] : projects
  }
  const choose = ({ id: chosenId }: Option) => {
    onClose()
    button.current?.focus()
    const page = options.find((one) => one.id === chosenId)
    if (page) page.run()
    else if (chosenId !== currentId) router.go(projectPath(chosenId, addressEnd))
  }
  return (
    <ChoiceLayer
      id={id}
      label={hasPages ? t('Pages and projects') : t('Switch project')}
      button={button}
      chosenIds={[currentId, currentPage ?? '']}
      find={find}
      onChoose={choose}
      onClosed={onClose}
    />
  )
}

interface ProjectLetterProps {
  readonly project: ProjectMarkProps['project'] & { readonly name: string }
}

/** The mark of a project in a list of projects, in which neighbours may have the same colour. */
export const ProjectLetter = ({ project: { id, color, name } }: ProjectLetterProps) => (
  <span class="project-mark lettered" data-color={color ?? hueOf(id)} aria-hidden="true">
    {[...name][0]?.toLocaleUpperCase(locale())}
  </span>
)
