-- Words of either text, each once. A function, because a store of several nodes takes no subquery in the second part of an upsert.
create function words_of_both(one text, other text) returns text
language sql immutable as $$
  select string_agg(distinct word, ' ') from unnest(string_to_array(one, ' ') || string_to_array(other, ' ')) as word
$$;
