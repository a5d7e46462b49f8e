import { useServices } from '../services/services.ts'
import { Avatar } from './notes.tsx'

/** The avatar of a person who is known by id; blank until the name is there, so that nothing flashes. */
export function PersonAvatar({ id, isNamed = false }: { readonly id: string; readonly isNamed?: boolean }) {
  const { people } = useServices()
  return <Avatar name={people.findName(id) ?? ''} tint={people.tintOf(id)} isNamed={isNamed} />
}
