import type { RecordOf } from '../../api/api.ts'
import { t } from '../../texts/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PersonAvatar } from '../../ui/person-avatar.tsx'
import { ProjectMark } from '../../ui/project-mark.tsx'
import { useRemoval } from '../../ui/use-removal.ts'

export interface ProjectRowProps {
  readonly project: RecordOf<'project'>
  readonly memberIds: readonly string[]
  onRename(): void
  onMembers(): void
}

/** Of more members than this, the others are shown as a number. */
const facesMax = 5

export function ProjectRow({ project, memberIds, onRename, onMembers }: ProjectRowProps) {
  const remove = useRemoval()
  // Somebody may have been added twice.
  const members = [...new Set(memberIds)]
  const faces = members.slice(0, facesMax)
  return (
    <li class="row project-row">
      <ProjectMark id={project.id} />
      <a class="row-link" dir="auto" href={`/projects/${project.id}`}>
        {project.name}
      </a>
      <span class="faces">
        {faces.map((id) => (
          <PersonAvatar key={id} id={id} />
        ))}
        {members.length > facesMax && <span class="quiet-text">+{members.length - facesMax}</span>}
      </span>
      <Menu
        label={t('Actions for {name}', { name: project.name })}
        items={[
          { label: t('Members…'), run: onMembers },
          { label: t('Rename…'), run: onRename },
          { label: t('Remove'), kind: 'danger', run: () => void remove('project', project.id, project.name) },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </li>
  )
}
