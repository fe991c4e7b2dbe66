from accountant.engines.engine import (
    DIALECT as DIALECT,
    Engine as Engine,
    quoted as quoted,
    refused as refused,
)
from accountant.engines.files import (
    Files as Files,
    Format as Format,
    csv_header as csv_header,
    files_of as files_of,
    not_plain as not_plain,
)
from accountant.engines.kinds import (
    ENGINES as ENGINES,
    EngineKind as EngineKind,
    engine_at as engine_at,
)
