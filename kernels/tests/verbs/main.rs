//! The verbs against their meaning, on every device and for every dtype: `cuda::float32::stencil_…`.
//!
//! A kind of device that this machine lacks is reported as skipped. Where kernels are compiled slowly (PoCL), every ninth
//! case runs, in one dtype, as `ARRAYSPAN_TEST_SEED` chooses; `ARRAYSPAN_TEST_FULL=1` runs all in all.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "a test program exports nothing, and to panic is how it fails"
)]

#[path = "../reference/mod.rs"]
mod reference;

#[macro_use]
mod cells;

mod calls_again;
mod cell;
mod convolve;
mod convolve_errors;
mod convolve_varying;
mod copy;
mod copy_mapped;
mod errors;
mod factor_errors;
mod factors;
mod fft;
mod fft_axes;
mod fft_errors;
mod fft_library;
mod fft_long;
mod filter;
mod filter_periodic;
mod gather;
mod gather_errors;
mod gather_half;
mod gather_line;
mod gather_marked;
mod gather_segments;
mod gather_updates;
mod gemm;
mod halves;
mod map;
mod map_dots;
mod map_errors;
mod map_half;
mod map_many;
mod map_numbers;
mod moments;
mod offsets;
mod project;
mod reduce;
mod reduce_shared;
mod sample;
mod scan;
mod scan_errors;
mod scan_half;
mod scan_sums;
mod small_groups;
mod stars;
mod stencil;
mod stencil_band;
mod stencil_calls;
mod stencil_each;
mod stencil_errors;
mod stencil_filter;
mod stencil_norm;
mod stencil_sum;
mod stencil_sum_inputs;
mod stencil_updates;
mod trace;
mod turn;
mod vector;
mod vector_errors;
mod vector_owned;
mod vector_reduce;

cells! {
    host: Cpu;
    cuda: Cuda;
    opencl: OpenCl;
    => {
        float32: Float32;
        float64: Float64;
        complex64: Complex64;
        complex128: Complex128;
    } {
        map:
            every_function_of_one_element
            every_function_of_two_elements
            division_by_zero_gives_zero_where_asked
            multiplication_by_zero_gives_zero_where_asked
            inputs_broadcast
            rows_at_odd_places_meet_what_repeats_along_an_axis
            inputs_that_all_rows_share
            single_numbers_stay_on_the_device
            what_the_output_held_can_be_read
            layouts_do_not_matter
            long_arrays_and_long_expressions
            shapes_without_axes_or_elements
            any_layout;
        map_numbers:
            numbers_of_a_wider_dtype
            quotients_of_every_size;
        map_many:
            several_outputs_share_a_pass
            real_and_complex_arrays_meet
            real_parts_are_computed_as_real_numbers
            one_output_of_real_and_complex_inputs
            layouts_do_not_matter
            inputs_broadcast
            shapes_without_axes_or_elements
            long_arrays
            numbers_of_a_wider_dtype
            any_expressions_and_layouts;
        map_dots:
            outputs_read_what_others_held
            dots_of_inputs_and_of_what_is_written
            dots_of_long_arrays
            dots_of_any_layout
            dots_in_a_wider_dtype
            a_fused_step_is_its_parts_to_the_bit;
        copy:
            layouts_do_not_matter
            what_was_there_is_scaled_and_added
            beta_zero_reads_nothing
            rows_and_columns_repeat
            long_arrays_are_transposed
            shapes_without_axes_or_elements
            any_layout;
        copy_mapped:
            zeros_around_every_axis
            mirror_images_along_every_axis_and_what_they_add_up_to
            every_size_of_rows_at_every_place
            layouts_do_not_matter
            steps_repetitions_and_single_indices
            long_arrays
            many_spans_of_many_axes
            shapes_without_axes_or_elements
            any_maps;
        stencil:
            every_axis_of_every_rank
            axes_shorter_than_the_reach
            special_first_and_last_rows
            long_filters
            long_rows_of_taps_along_every_axis
            long_rows_of_taps_between_special_rows
            values_beyond_the_taps_do_not_spread
            several_axes_in_one_pass
            large_stars
            complex_weights
            layouts_do_not_matter
            long_arrays
            without_terms_there_is_nothing_to_add
            the_adjoint_satisfies_the_dot_test
            empty_arrays;
        calls_again:
            maps_of_other_numbers_inputs_and_layouts
            signs_of_zeros_stay
            sums_over_other_axes_of_other_expressions
            matrices_of_the_same_extents
            running_sums_of_every_kind
            sums_of_stencils_with_other_weights
            copies_along_other_maps
            parts_of_one_block_and_of_two;
        stencil_calls:
            calls_that_differ_in_one_thing_follow_each_other
            calls_of_parts_that_are_aligned_otherwise_follow_each_other;
        stencil_updates:
            what_was_there_is_scaled_and_added
            factors_far_from_one
            beta_zero_reads_nothing;
        stencil_filter:
            rows_one_behind_the_other
            neighbouring_rows_do_not_see_each_other
            columns_in_parts
            columns_in_parts_with_rows_of_their_own_near_the_ends;
        stencil_norm:
            along_every_axis
            of_long_columns
            of_several_axes
            of_what_is_updated_in_any_layout
            of_nothing
            in_a_wider_dtype;
        filter:
            along_every_axis
            as_few_and_as_many_taps_as_there_may_be
            axes_shorter_than_the_taps
            long_arrays
            layouts_do_not_matter
            the_adjoint_satisfies_the_dot_test
            empty_arrays
            lines_do_not_see_each_other;
        filter_periodic:
            every_kind_of_length
            the_longest_lines
            lines_shorter_than_their_points
            layouts_do_not_matter
            the_adjoint_satisfies_the_dot_test
            lines_do_not_see_each_other;
        convolve:
            along_two_axes_of_two_to_four
            along_three_axes_of_three_and_four
            along_four_axes_and_one
            filters_longer_than_the_axes
            axes_of_one_element
            time_zero_at_the_ends
            filters_of_every_size
            large_filters
            taps_of_zero_meet_nothing
            what_is_no_number_reaches_what_meets_it
            samples_far_from_one
            real_taps_of_complex_arrays
            complex_taps
            layouts_do_not_matter
            factors_on_the_device
            beta_zero_reads_nothing
            the_adjoint_satisfies_the_dot_test
            long_arrays
            empty_arrays;
        convolve_varying:
            along_one_axis
            along_two_axes
            along_three_axes
            filters_of_every_size
            a_place_at_every_sample
            time_zero_at_the_ends
            complex_taps
            what_is_no_number_reaches_what_meets_it
            layouts_do_not_matter
            factors_on_the_device
            the_adjoint_satisfies_the_dot_test
            long_arrays
            empty_arrays;
        stencil_band:
            every_size_along_the_last_axis
            every_size_along_the_first_axis
            every_size_along_an_axis_between
            rows_longer_than_groups
            many_rows_at_odd_places_across_the_band
            few_rows_are_updated_once
            infinities_stay_in_the_rows_that_reach_them
            more_groups_than_a_grid_takes;
        stencil_each:
            terms_of_two_to_four_axes
            layouts_do_not_matter
            long_and_far_taps
            many_rows_at_odd_places
            rows_of_every_length_at_odd_places;
        stencil_sum:
            coefficients_before_and_after
            a_directional_derivative_and_its_adjoint
            complex_weights
            layouts_do_not_matter
            beta_zero_reads_nothing
            axes_shorter_than_the_reach
            empty_arrays
            any_sum;
        stencil_sum_inputs:
            several_inputs
            parts_of_one_array
            repeated_inputs;
        stars:
            two_axes
            three_axes
            three_short_axes
            three_axes_of_one_array
            three_axes_of_even_arrays
            one_axis_beside_the_last
            longer_reaches
            what_special_rows_leave_out_does_not_spread
            a_derivative_and_two_axes
            a_derivative_and_three_axes
            several_inputs_with_coefficients;
        offsets:
            taps_outside_every_row_are_dropped
            taps_that_reach_far_along_a_long_axis
            special_rows_far_from_both_ends
            any_taps
            any_stencil;
        reduce:
            every_set_of_axes
            layouts_do_not_matter
            expressions_are_reduced
            inputs_broadcast
            long_arrays
            every_size_along_each_axis
            rows_at_odd_places
            sums_of_many_small_numbers_stay_accurate
            sums_of_many_equal_numbers_stay_accurate
            the_largest_and_the_smallest
            not_a_number_wins
            real_and_wider_results
            reductions_of_nothing;
        reduce_shared:
            few_results_of_many_elements
            shared_results_are_complete;
        moments:
            every_number_along_every_axis
            layouts_do_not_matter
            long_arrays
            moments_of_nothing_are_zero
            shared_results_are_complete;
        gather:
            one_entry_a_row_along_every_axis
            repeated_and_unsorted_indices_and_their_adjoint
            few_entries_a_row
            complex_weights
            uneven_rows
            long_rows
            several_axes_counted_as_one
            layouts_do_not_matter
            long_arrays
            rows_without_entries_are_zero
            nothing_to_gather
            any_matrix;
        gather_line:
            rows_of_columns_far_apart
            uneven_rows_of_many_lines
            many_long_rows_of_a_vector
            neighbouring_columns_of_many_rows
            neighbouring_columns_of_every_size;
        gather_marked:
            of_few_and_many_with_any_share_of_them
            on_any_layout_with_factors;
        gather_segments:
            columns_far_apart_of_vectors
            columns_far_apart_of_matrices;
        gather_updates:
            what_was_there_is_scaled_and_added
            beta_zero_reads_nothing
            factors_and_weights_far_from_one;
        project:
            curves_of_every_kind
            sizes_around_those_of_groups
            layouts_and_further_axes_do_not_matter
            what_was_there_is_scaled_and_added
            nothing_to_sum;
        scan:
            every_kind_along_every_axis
            every_size_along_the_last_axis
            every_size_along_the_first_axis
            first_rows_are_left_out
            layouts_do_not_matter
            what_was_there_is_scaled_and_added
            beta_zero_reads_nothing
            rows_that_begin_at_odd_places
            long_arrays
            nothing_to_sum
            any_scan;
        scan_sums:
            sums_of_many_numbers_are_rounded_as_those_of_few
            the_same_call_gives_the_same_bits
            several_streams_at_once
            infinities_stay_behind_where_they_are
            a_weight_of_zero_takes_nothing
            sizes_far_from_one;
        fft:
            every_length_along_the_last_axis
            every_axis_of_every_rank
            many_zeros_behind_a_short_line
            ends_are_taken_along
            layouts_do_not_matter
            what_was_there_is_scaled_and_added
            nothing_to_transform
            sizes_far_from_one
            factors_far_from_one
            errors_are_a_few_roundings
            any_transform;
        fft_axes:
            last_axes_of_every_rank
            ends_orders_and_layouts
            several_parts
            nothing_to_transform
            last_axes_by_the_library
            ends_orders_and_layouts_by_the_library
            several_parts_by_the_library
            large_arrays;
        fft_library:
            every_length_along_the_last_axis
            every_axis_of_every_rank
            ends_are_taken_along
            layouts_do_not_matter
            what_was_there_is_scaled_and_added
            long_lines
            nothing_to_transform
            sizes_far_from_one
            errors_are_a_few_roundings
            any_transform
            lines_in_several_parts
            large_arrays
            two_streams_and_caches_that_are_cleared;
        fft_long:
            lines_in_registers
            long_lines
            many_long_lines
            half_spectra_in_several_passes;
        gemm:
            products_of_every_size
            sums_too_long_for_small_products
            strides_that_nobody_follows
            transposed_and_strided_views
            conjugated_factors
            batches
            what_was_there_is_scaled_and_added
            beta_zero_reads_nothing
            no_inner_extent
            empty_products;
        factors:
            every_verb_takes_factors_on_the_device
            factors_that_are_not_numbers_are_passed_on
            a_factor_may_be_an_element_of_a_larger_array;
        vector:
            any_expression_is_what_it_says
            arrays_views_and_numbers_mix_on_both_sides
            more_arrays_than_a_launch_takes_are_refused_before_anything_is_written
            updates_read_what_was_there
            numbers_of_a_wider_dtype_stay_on_the_device;
        vector_reduce:
            reductions_are_plain_sums
            reductions_along_axes
            reductions_along_every_set_of_axes
            along_no_axis_elements_stay_what_they_are
            reductions_along_axes_without_elements
            means_along_axes_of_every_size
            values_are_reduced_without_being_written
            sizes_whose_squares_leave_the_dtype
            means_of_the_largest_numbers_are_finite
            not_a_number_is_passed_on;
        vector_errors:
            arrays_of_two_devices_are_refused;
    }
}

/// Verbs whose arrays may hold 16-bit floats.
mod stored {
    cells! {
        host: Cpu;
        cuda: Cuda;
        opencl: OpenCl;
        => {
            float16: Float16;
            bfloat16: BFloat16;
        } {
            map:
                every_function_of_one_element
                every_function_of_two_elements
                division_by_zero_gives_zero_where_asked
                multiplication_by_zero_gives_zero_where_asked
                inputs_broadcast
                rows_at_odd_places_meet_what_repeats_along_an_axis
                inputs_that_all_rows_share
                single_numbers_stay_on_the_device
                what_the_output_held_can_be_read
                layouts_do_not_matter
                long_arrays_and_long_expressions
                shapes_without_axes_or_elements
                any_layout;
            map_numbers:
                numbers_of_a_wider_dtype;
            copy:
                layouts_do_not_matter
                what_was_there_is_scaled_and_added
                beta_zero_reads_nothing
                rows_and_columns_repeat
                long_arrays_are_transposed
                shapes_without_axes_or_elements
                any_layout;
            copy_mapped:
                zeros_around_every_axis
                mirror_images_along_every_axis_and_what_they_add_up_to
                every_size_of_rows_at_every_place
                layouts_do_not_matter
                steps_repetitions_and_single_indices
                long_arrays
                many_spans_of_many_axes
                shapes_without_axes_or_elements
                any_maps;
            stencil:
                every_axis_of_every_rank
                axes_shorter_than_the_reach
                special_first_and_last_rows
                long_filters
                long_rows_of_taps_along_every_axis
                long_rows_of_taps_between_special_rows
                values_beyond_the_taps_do_not_spread
                several_axes_in_one_pass
                large_stars
                layouts_do_not_matter
                long_arrays
                without_terms_there_is_nothing_to_add
                empty_arrays;
            stencil_calls:
                calls_that_differ_in_one_thing_follow_each_other
                calls_of_parts_that_are_aligned_otherwise_follow_each_other;
            stencil_updates:
                what_was_there_is_scaled_and_added
                beta_zero_reads_nothing;
            stencil_band:
                every_size_along_the_last_axis
                every_size_along_the_first_axis
                every_size_along_an_axis_between
                infinities_stay_in_the_rows_that_reach_them;
            stencil_each:
                terms_of_two_to_four_axes
                layouts_do_not_matter
                long_and_far_taps
                many_rows_at_odd_places
                rows_of_every_length_at_odd_places;
            stencil_sum:
                coefficients_before_and_after
                a_directional_derivative_and_its_adjoint
                layouts_do_not_matter
                beta_zero_reads_nothing
                axes_shorter_than_the_reach
                empty_arrays
                any_sum;
            stencil_sum_inputs:
                several_inputs
                parts_of_one_array
                repeated_inputs;
            stars:
                two_axes
                three_axes
                one_axis_beside_the_last
                longer_reaches
                several_inputs_with_coefficients;
            offsets:
                taps_outside_every_row_are_dropped
                taps_that_reach_far_along_a_long_axis
                special_rows_far_from_both_ends
                any_taps
                any_stencil;
            reduce:
                every_set_of_axes
                layouts_do_not_matter
                expressions_are_reduced
                inputs_broadcast
                long_arrays
                every_size_along_each_axis
                rows_at_odd_places
                the_largest_and_the_smallest
                not_a_number_wins
                real_and_wider_results
                reductions_of_nothing;
            reduce_shared:
                few_results_of_many_elements;
            moments:
                every_number_along_every_axis
                layouts_do_not_matter
                long_arrays
                moments_of_nothing_are_zero;
            vector:
                any_expression_is_what_it_says
                arrays_views_and_numbers_mix_on_both_sides;
            vector_reduce:
                reductions_are_plain_sums
                reductions_along_axes
                reductions_along_every_set_of_axes
                along_no_axis_elements_stay_what_they_are
                reductions_along_axes_without_elements
                values_are_reduced_without_being_written
                not_a_number_is_passed_on;
        }
    }
}
