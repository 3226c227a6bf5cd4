// What a request gets where it does not say: profiles and options of the settings, presets, and
// the options that belong to the service and not to a task.
#pragma once

#include <vector>

#include "config/settings.h"
#include "server/model_call.h"

namespace rex::server {

// The published advice for each task as `options`; the profile "articles". Null for other tasks.
Json article_options(std::string_view task);

// The starting point for reading `body`: limits, profile, tasks.default.*, tasks.<task>.*.
// Errors: OPTION_RANGE, OPTION_TYPE, TASK_UNKNOWN.
Result<tasks::TaskRequest> defaults_for(const config::Settings& settings, Json& body,
                                        const tasks::TaskRow* row);

// Replaces "preset" of the body by what it stands for; schema and task of the body win.
// Errors: PRESET_UNKNOWN, OPTION_TYPE.
Result<void> apply_preset(const State& state, Json& body);

// Takes timeout_ms, priority, include, precision, … out of body["options"].
// Errors: OPTION_RANGE, OPTION_TYPE.
Result<void> take_service_options(Call& call, Json& body, ServiceOptions& options,
                                  std::vector<Warning>& warnings);

}  // namespace rex::server
