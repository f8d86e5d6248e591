-- Sample, place of the context from 1, and piece in the order of evidence_pieces.
with

places as (
    select row, piece_offset, unnest(held) as held, generate_subscripts(held, 1) as place
    from evidence
)

select row, place, (piece_offset + piece)::bigint as piece
from (select row, piece_offset, place, unnest(held) as piece from places)
order by row, place, piece
