#!/usr/bin/env bash
# Runs every test and benchmark program on a machine with a GPU; cargo is not needed.
#
#   run.sh [RESULTS [PART...]]
#
# RESULTS is $OUT or ./gpu-results if not given, PART one or more of tests, interop, sanitizer, benches, peers,
# examples, torch; all if none is given. The last one needs torch 2.11 in python3.
# A missing CUDA or OpenCL device is a failure here. The exit status is the number of programs that failed.
set -uo pipefail
shopt -s nullglob
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
results=${1:-${OUT:-gpu-results}}
parts=" ${*:2} "
[ $# -gt 1 ] || parts=" tests interop sanitizer benches peers examples torch "
mkdir -p "$results"
export ARRAYSPAN_REQUIRE=${ARRAYSPAN_REQUIRE:-cuda,opencl}
export ARRAYSPAN_GOLDEN_DIR=$here/golden

# NVRTC comes with a CUDA toolkit or with Python packages.
if ! ldconfig -p | grep -q 'libnvrtc\.so'; then
    for folder in /usr/local/cuda*/lib64 /usr/local/cuda*/targets/*/lib \
        /usr/lib/python3*/*-packages/nvidia/*/lib /usr/local/lib/python3*/*-packages/nvidia/*/lib; do
        if compgen -G "$folder/libnvrtc.so*" >/dev/null; then
            export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        fi
    done
fi
# Containers often have NVIDIA's OpenCL library, but not the file that names it.
if ! compgen -G '/etc/OpenCL/vendors/*.icd' >/dev/null && [ -z "${OCL_ICD_VENDORS:-}" ]; then
    mkdir -p "$results/vendors"
    echo libnvidia-opencl.so.1 >"$results/vendors/nvidia.icd"
    OCL_ICD_VENDORS=$(cd "$results/vendors" && pwd)
    export OCL_ICD_VENDORS
fi

failed=0
report() { # NAME STATUS SECONDS
    local outcome=passed
    [ "$2" -eq 0 ] || { outcome=FAILED; failed=$((failed + 1)); }
    printf '%-40s %-7s %5ss\n' "$1" "$outcome" "$3" | tee -a "$results/summary.txt"
}
program() { # NAME COMMAND...
    local name=$1 begin=$SECONDS status
    shift
    "$@" >"$results/$name.txt" 2>&1
    status=$?
    report "$name" "$status" $((SECONDS - begin))
    [ "$status" -eq 0 ] || grep -aE '^(test .*FAILED|error|thread .* panicked)' "$results/$name.txt" | head -40
}

: >"$results/summary.txt"
{ nvidia-smi || true; uname -a; } >"$results/machine.txt" 2>&1
part() { [[ $parts == *" $1 "* ]]; }
for file in "$here"/tests/*; do
    part tests || break
    program "$(basename "$file")" "$file" --show-output
done

# Python's libraries, each in a process of its own: one that crashes must not keep the others from running.
for library in numpy torch cupy jax; do
    part interop || break
    program "interop-$library" "${ARRAYSPAN_PYTHON:-python3}" -B "$here/interop/run.py" \
        "$here/interop/libarrayspan_interop.so" --only "$library" --require "$library" cuda \
        --handovers "${ARRAYSPAN_HANDOVERS:-1000000}"
done

# Memory errors and races of the kernels themselves, where tests are named by device. One thread, because the
# tool slows down every launch.
sanitizer=$(command -v compute-sanitizer || compgen -G '/usr/local/cuda*/bin/compute-sanitizer' | head -1)
if ! part sanitizer; then
    :
elif [ -n "$sanitizer" ]; then
    for tool in memcheck racecheck; do
        program "$tool-kernels-verbs" "$sanitizer" --tool "$tool" --error-exitcode 1 \
            "$here/tests/kernels-verbs" cuda --test-threads 1
        # These run on every device there is: here CUDA alone.
        for name in bridge-copies bridge-stacks bridge-conversions pipeline-batches devices-memory; do
            # Memory runs out on purpose, which is no error of the program.
            program "$tool-$name" env ARRAYSPAN_DISABLE=opencl ARRAYSPAN_REQUIRE=cuda "$sanitizer" --tool "$tool" \
                --error-exitcode 1 $([ "$tool" = racecheck ] || echo --report-api-errors no) \
                "$here/tests/$name" --test-threads 1
        done
    done
else
    echo "skipped: no compute-sanitizer" | tee -a "$results/summary.txt"
fi

for file in "$here"/benches/*-figures; do
    part benches || break
    for device in cuda:0 opencl:0; do
        for size in 1m 64m odd; do
            program "$(basename "$file")-$device-$size" "$file" "$device" "$size"
        done
    done
done
for file in "$here"/benches/*-{handover,copies}; do
    part benches || break
    ARRAYSPAN_BENCH=cuda:0 program "$(basename "$file")" "$file" --bench
done
for file in "$here"/benches/devices-{memory,transfers}; do
    part benches || break
    program "$(basename "$file")" "$file" cuda:0
done
for file in "$here"/benches/devices-account; do
    part benches || break
    program "$(basename "$file")" "$file" --bench
done
for file in "$here"/benches/*-host; do
    part benches || break
    program "$(basename "$file")" "$file"
done
for file in "$here"/benches/*-batches; do
    part benches || break
    program "$(basename "$file")" "$file"
done
if part peers; then
    program "peers-batches" "${ARRAYSPAN_PYTHON:-python3}" -B "$here/peers/batches.py"
fi
for size in 1m 64m odd; do
    part peers || break
    program "peers-operators-$size" "${ARRAYSPAN_PYTHON:-python3}" -B "$here/peers/operators.py" cupy "$size"
done
for place in cpu cuda; do
    part peers || break
    program "peers-handover-$place" "${ARRAYSPAN_PYTHON:-python3}" -B "$here/peers/handover.py" --place "$place"
done
for file in "$here"/examples/*; do
    part examples || break
    case $file in
        *poststack_inversion) program "$(basename "$file")" "$file" --compare --out "$results" ;;
        *) program "$(basename "$file")" "$file" ;;
    esac
done

# libtorch comes with the Python package; its folder is found without importing it.
torch=$(python3 -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])' \
    2>/dev/null || true)
if ! part torch; then
    :
elif [ -n "$torch" ]; then
    with_torch() { # FILE ARGUMENT...
        program "$(basename "$1")" env LD_LIBRARY_PATH="$torch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$@"
    }
    for file in "$here"/torch/tests/*; do
        with_torch "$file" --show-output
    done
    for file in "$here"/torch/benches/*; do
        with_torch "$file"
    done
    for file in "$here"/torch/examples/*; do
        with_torch "$file" --device cuda:0
    done
else
    echo "skipped: no torch" | tee -a "$results/summary.txt"
fi

skips=$(cat "$results"/*.txt | grep -ac '^skipped: ' || true)
echo "$failed programs failed, $skips skips" | tee -a "$results/summary.txt"
exit "$failed"
