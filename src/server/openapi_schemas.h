// The shapes of bodies in /openapi.json.
#pragma once

#include "core/json.h"

namespace rex::server {

// Name → JSON schema, for every name that the table of routes uses, and "Error".
Json openapi_schemas();

}  // namespace rex::server
