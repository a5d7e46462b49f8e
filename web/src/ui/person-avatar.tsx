import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Avatar } from './notes.tsx'

/** The avatar of a person who is known by id; blank until the name is there, so that nothing flashes. */
export function PersonAvatar({ id, isNamed = false }: { readonly id: string; readonly isNamed?: boolean }) {
  const { people } = useServices()
  const name = people.findName(id)
  const unseen = name === '' && { name: t('Somebody you do not see'), initials: '?' }
  return <Avatar name={name ?? ''} {...unseen} tint={people.tintOf(id)} isNamed={isNamed} />
}
